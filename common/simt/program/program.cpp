/// \file
/// A whole CUDA program on the simulator: `tilewise_program` is a library that starts the checks
/// before the program's main() and ends them after it. The program itself does not know about it.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/simt/program/allocation_name.hpp"
#include "common/simt/program/gpu_profiles.hpp"
#include "common/simt/program/options.hpp"
#include "common/simt/program/report.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::program {
namespace {

/// A card of today, so that programs of today find the features that they ask for.
constexpr const char* usual_gpu = "h200";

core::GpuProfile profile_called(const std::string& id) {
  std::string known;
  for (core::GpuProfile& profile :
       core::gpu_profiles_in(nlohmann::json::parse(gpu_profiles_json))) {
    if (profile.id == id) return profile;
    known += (known.empty() ? "" : ", ") + profile.id;
  }
  throw std::runtime_error(tr("there is no GPU '{}'; there are {}", id, known));
}

/// The one program in this process.
class Program {
 public:
  static Program& instance() {
    static Program* const program = [] {
      core::speak_as_told();
      return new Program(options_from_environment());
    }();
    return *program;
  }

  /// Reports what is new. Host threads may launch at the same time.
  void tell_news() {
    const std::lock_guard lock(mutex_);
    for (const simt::Finding& found : simt::take_findings()) report_.tell(found);
    for (const simt::LaunchRecord& launch : simt::take_launches()) report_.tell(launch);
    for (const simt::KernelProfile& profile : simt::take_profiles()) report_.tell(profile);
  }

  void end() {
    simt::note_leaks();
    tell_news();
    if (!report_.found_something()) return report_.end();
    report_.end();
    std::cout.flush();
    std::fflush(nullptr);
    _exit(options_.error_exitcode);
  }

  void describe(const void* memory, const simt::BufferDescription& description) {
    const std::lock_guard lock(mutex_);
    simt::describe_buffer(memory, description);
  }

  int descriptor() const { return report_.descriptor(); }
  int event_descriptor() const { return report_.event_descriptor(); }

 private:
  explicit Program(const Options& options) : options_(options), report_(options) {
    simt::use_device(profile_called(options.gpu.empty() ? usual_gpu : options.gpu));
    simt::Watch watch;
    watch.checks = !options.fast;
    watch.counters = options.profile;
    watch.strict = !options.fast;
    simt::watch(watch);
    simt::listen({.tell = [] { Program::instance().tell_news(); },
                  .to_failed_calls = options.api_errors,
                  .device_survives = options.survives,
                  .to_leaks = options.leaks});
  }

  Options options_;
  std::mutex mutex_;
  Report report_;
};

/// For use in a signal handler, where nothing may be allocated.
void write_whole(int descriptor, const char* text, std::size_t bytes) {
  [[maybe_unused]] const auto written = write(descriptor, text, bytes);
}

void explain_fault(const simt::Fault& fault) {
  const bool in_kernel = fault.in_kernel != 0;
  char text[1024], event[1100];
  const char* const colon = fault.explanation[0] == '\0' ? "" : ": ";
  const auto end =
      fmt::format_to_n(text, sizeof text - 1, "{} in {}{}{}", strsignal(fault.signal),
                       in_kernel ? fault.kernel : "host code", colon, fault.explanation);
  *end.out = '\0';
  const auto told = fmt::format_to_n(event, sizeof event, "tilewise: crash: {}\n", text);
  const Program& program = Program::instance();
  write_whole(program.descriptor(), event, static_cast<std::size_t>(told.out - event));
  const int events = program.event_descriptor();
  if (!in_kernel || events < 0) return;
  for (char* c = text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\' || static_cast<unsigned char>(*c) < ' ') *c = '\'';
  }
  const auto document = fmt::format_to_n(
      event, sizeof event,
      "{{\"finding\":{{\"kind\":\"crash\",\"message\":\"{}\",\"file\":\"\",\"line\":0,"
      "\"other_file\":\"\",\"other_line\":0}}}}\n",
      text);
  write_whole(events, event, static_cast<std::size_t>(document.out - event));
}

__attribute__((constructor)) void start() {
  try {
    Program::instance();
    simt::install_fault_handler(explain_fault);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewise: {}\n", error.what());
    _exit(2);
  }
}

__attribute__((destructor)) void finish() { Program::instance().end(); }

}  // namespace
}  // namespace tilewise::program

extern "C" __attribute__((visibility("default"))) void tilewise_name_allocation(
    const void* memory, std::size_t bytes, std::size_t element_bytes, std::size_t row_bytes,
    const char* words, const char* file, int line) {
  using namespace tilewise;
  const std::string name = program::allocation_name(words);
  if (name.empty() || memory == nullptr || bytes == 0) return;
  program::Program::instance().describe(
      memory, {.name = name,
               .bytes = bytes,
               .element_bytes = element_bytes,
               .row_elements = element_bytes == 0 ? 0 : row_bytes / element_bytes,
               .file = file,
               .line = line});
}
