#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/recorder/modules.hpp"
#include "common/simt/runtime/device.hpp"

namespace tilewise::simt::device {
namespace {

/// A call from a program to the run-time library.
struct Call {
  std::string function;  ///< "cudaMalloc"; empty if it is not known
  SourceLine place;
};

/// Returns the function's name: "cudaMalloc" for "_Z10cudaMallocPPvm".
std::string function_name(const char* mangled) {
  if (mangled == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  const std::string_view name = status == 0 ? text.get() : mangled;
  return std::string(name.substr(0, name.find('(')));
}

/// Searches the stack for the first caller outside the library.
Call call_in_progress() {
  static Dl_info own = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&call_in_progress), &info);
    return info;
  }();
  std::array<void*, 32> frames{};
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  Call call;
  for (int i = 0; i < depth; ++i) {
    Dl_info info{};
    const bool known = dladdr(frames[i], &info) != 0;
    if (known && info.dli_fbase == own.dli_fbase) {
      if (std::string name = function_name(info.dli_sname); name.starts_with("cuda")) {
        call.function = std::move(name);
      }
      continue;
    }
    // A return address lies behind its call.
    call.place = source_line(reinterpret_cast<std::uintptr_t>(frames[i]) - 1);
    // Templates of the library's headers are compiled into the program.
    const bool is_header = call.place.file.find("simt/include/") != std::string::npos;
    if (!is_header && call.place.line != 0) break;
  }
  return call;
}

}  // namespace

void note_failed_call(cudaError_t error, const char* function) {
  static constexpr std::array answers = {cudaErrorNotReady};  // they answer a question
  if (std::ranges::find(answers, error) != answers.end()) return;
  Call call = call_in_progress();
  const std::string_view name(function);
  if (name.starts_with("cu") || name.starts_with("nvrtc")) call.function = name;
  record(Finding{
      .kind = "refused",
      .message = tr("{} returned {}: {}", call.function.empty() ? tr("a call") : call.function,
                    cudaGetErrorName(error), cudaGetErrorString(error)),
      .file = call.place.file,
      .line = call.place.line});
}

void add_place_of_call(Finding& finding) {
  const SourceLine place = call_in_progress().place;
  finding.file = place.file;
  finding.line = place.line;
}

}  // namespace tilewise::simt::device
