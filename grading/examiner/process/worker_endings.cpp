#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "common/base/language.hpp"
#include "common/process/sandbox.hpp"
#include "grading/examiner/process/connection.hpp"
#include "grading/examiner/process/failures.hpp"
#include "grading/examiner/process/worker_state.hpp"

// How a worker ends before its time, and what is said of it.
namespace tilewise::grading {
namespace {

using Ending = CallReply::Ending;

/// Returns the thread that ran, if the fault was in a kernel.
std::optional<ThreadOfGrid> thread_of(const Fault& fault) {
  if (fault.in_kernel == 0) return std::nullopt;
  return ThreadOfGrid{std::to_array(fault.block), std::to_array(fault.thread)};
}

/// Finds the source line of the module's instruction at which a fault occurred, or else of the call
/// that led to it.
SourceLocation locate(const Fault& fault, const std::filesystem::path& module,
                      const Sandbox& sandbox) {
  std::error_code unknown;
  const std::uintmax_t module_bytes = std::filesystem::file_size(module, unknown);
  if (unknown || fault.module_base == 0) return {};
  SourceLocation first_known;
  const auto look_up = [&](std::uint64_t address) {
    if (address < fault.module_base || address - fault.module_base >= module_bytes) return;
    const SourceLocation found = find_source_location(module, address - fault.module_base, sandbox);
    if (first_known.file.empty()) first_known = found;
  };
  look_up(fault.pc);
  for (std::uint32_t i = 0; i < fault.caller_count && first_known.file.empty(); ++i) {
    look_up(fault.callers[i] - 1);  // a return address belongs to the instruction after the call
  }
  return first_known;
}

}  // namespace

/// Ends the process.
void Worker::State::part() {
  // compute-sanitizer takes seconds to look at what it has recorded.
  constexpr std::chrono::seconds time_to_write_down(20);
  if (!options.supervisor.empty()) connection->close(time_to_write_down);
  connection->end();
}

/// Returns the kind of finding for an ending, as core::Finding names it.
std::string kind_of(Ending ending) {
  switch (ending) {
    case Ending::crashed:
      return "crash";
    case Ending::timed_out:
      return "time-out";
    case Ending::exited:
      return "exit";
    case Ending::flooded:
      return "output";
    case Ending::protocol:
    case Ending::refused:
    case Ending::returned:
      break;
  }
  return "";
}

CallReply Worker::State::fail(Ending ending, const std::string& message,
                              const SourceLocation& place,
                              const std::optional<ThreadOfGrid>& thread) {
  if (connection) part();
  CallReply reply;
  reply.ending = ending;
  reply.finding = {.kind = kind_of(ending),
                   .message = message,
                   .file = place.file,
                   .line = place.line,
                   .place = thread};
  failure = reply;
  return reply;
}

/// Returns what assert() printed before it aborted the process; empty if the process ended
/// otherwise.
std::string Worker::State::failed_assertion(const Fault& fault) const {
  constexpr std::size_t enough = 300;
  const std::string output = connection->output();
  const std::size_t at = output.find("Assertion `");
  if (fault.signal != SIGABRT || at == output.npos) return "";
  return " " + output.substr(at, std::min(output.find('\n', at) - at, enough));
}

SourceLocation Worker::State::place_of(const Fault& fault) const {
  return options.is_for_trials ? SourceLocation{} : locate(fault, options.module, options.sandbox);
}

CallReply Worker::State::fail_by_end() {
  const int status = connection->end();
  if (!started) {
    return fail(Ending::refused,
                tr("The worker {} could not start{}. It printed: {}", options.executable.string(),
                   options.sandbox ? tr(" in a sandbox that shows it its own libraries only") : "",
                   connection->output()));
  }
  if (const auto fault = connection->fault()) {
    const SourceLocation place = place_of(*fault);
    return fail(Ending::crashed,
                describe_crash(*fault, place, situation) + failed_assertion(*fault), place,
                thread_of(*fault));
  }
  return fail(WIFEXITED(status) ? Ending::exited : Ending::crashed,
              describe_end(status, situation));
}

CallReply Worker::State::fail_by_tampering(const std::string& what) {
  return fail(Ending::protocol,
              tr("The channel between the submission and the grader was tampered with: {}. "
                 "Use no file descriptor that your code did not open.",
                 what));
}

CallReply Worker::State::fail_by_time() {
  if (!options.is_for_trials) connection->interrupt();
  const auto fault = connection->fault();
  const SourceLocation place = fault ? place_of(*fault) : SourceLocation{};
  return fail(Ending::timed_out, describe_time_out(fault, place, situation), place,
              fault ? thread_of(*fault) : std::nullopt);
}

}  // namespace tilewise::grading
