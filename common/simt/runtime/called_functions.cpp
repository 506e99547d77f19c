// What a kernel calls by a pointer, where that leads out of its module's device code.

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "common/simt/device_functions.hpp"
#include "common/simt/include/tilewise/fibers.hpp"
#include "common/simt/recorder/source_lines.hpp"
#include "common/simt/runtime/block.hpp"

namespace tilewise::simt {
namespace {

void add_function(std::string name, std::set<const void*>& functions) {
  const bool is_wrapped = std::ranges::find(wrapped_functions, name) != wrapped_functions.end();
  if (is_wrapped) name.insert(0, "__wrap_");
  if (const void* found = dlsym(RTLD_DEFAULT, name.c_str())) functions.insert(found);
}

/// Addresses of the library functions that a GPU has, too.
std::set<const void*> device_functions() {
  std::set<const void*> functions;
  for (const std::string_view name : device_mathematics) {
    add_function(std::string(name), functions);
    add_function(std::string(name) + 'f', functions);
  }
  for (const std::string_view name : device_library) add_function(std::string(name), functions);
  return functions;
}

/// What a kernel calls there.
std::string description_of(const void* function) {
  constexpr std::uintptr_t near_null = 64 << 10;  // no system maps anything there
  if (reinterpret_cast<std::uintptr_t>(function) < near_null) {
    return "a kernel calls through a pointer to a function that is null";
  }
  Dl_info info;
  if (dladdr(function, &info) == 0) {
    return fmt::format("a kernel calls through a pointer that leads to no function ({})", function);
  }
  const bool has_name = info.dli_sname != nullptr && info.dli_saddr == function;
  return fmt::format(
      "a kernel calls {}, itself or through a pointer; no GPU has it: write it as a __device__ "
      "function of your own, or call it on the host",
      has_name ? fmt::format("{}, a host function", info.dli_sname) : "a host function");
}

}  // namespace

/// @param caller       where the call returns to
/// @param device_code  of the module; null where the builder has not told it from other code
extern "C" void tilewise_simt_check_call(const void* function, std::uintptr_t caller,
                                         const void* device_code) {
  if (device_code == nullptr) return;
  const Block* running = Block::if_any_of_this_thread();
  if (running == nullptr || !running->runs_device_code()) return;
  static const std::set<const void*> allowed = device_functions();
  if (allowed.contains(function)) return;
  Block& block = Block::of_this_thread();
  if (block.watch() != nullptr) block.watch()->pause_recording();
  const SourceLine line = source_line(caller - 1);
  follow(block.break_off_access({.kind = "host-call",
                                 .message = description_of(function),
                                 .file = line.file,
                                 .line = line.line}));
}

}  // namespace tilewise::simt
