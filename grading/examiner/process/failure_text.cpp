#include "grading/examiner/process/failure_text.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <string_view>

namespace tilewise::grading {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::string subject(const Situation& situation) {
  return situation.function.empty() ? "The submission" : situation.function;
}

std::string while_loading(const Situation& situation) {
  return situation.function.empty() ? " while the module was loading (a static constructor?)" : "";
}

std::string place(const Fault& fault, const SourceLocation& location) {
  std::string text;
  if (fault.in_kernel != 0) {
    text += fmt::format(" in kernel {}, block ({}, {}, {}), thread ({}, {}, {})", fault.kernel,
                        fault.block[0], fault.block[1], fault.block[2], fault.thread[0],
                        fault.thread[1], fault.thread[2]);
  }
  if (!location.file.empty()) text += fmt::format(" at {}:{}", location.file, location.line);
  return text;
}

std::string signal_text(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault (SIGSEGV)";
    case SIGBUS:
      return "bus error (SIGBUS)";
    case SIGFPE:
      return "arithmetic error (SIGFPE)";
    case SIGILL:
      return "illegal instruction (SIGILL)";
    case SIGABRT:
      return "abort (SIGABRT)";
    case SIGSYS:
      return "a refused system call (SIGSYS)";
    case SIGXCPU:
      return "its calls took too much processor time in all (SIGXCPU)";
    default:
      return fmt::format("signal {}", signal);
  }
}

constexpr const char* refused_system_call =
    "Your code asked the operating system for something that the grader does not allow, such as a "
    "file, a program or a connection. Compute with what the function is given.";

/// What led to it, or the next step, as far as the signal alone tells.
std::string advice(const Fault& fault) {
  constexpr std::uint64_t near_null = 64 << 10;  // no system maps anything there
  if (fault.stack_overflow != 0) {
    return "The stack overflowed: is there a recursion without end, or a huge local array?";
  }
  switch (fault.signal) {
    case SIGSEGV:
    case SIGBUS:
      return fault.address < near_null
                 ? fmt::format("It used a null pointer (address {:#x}).", fault.address)
                 : fmt::format("It accessed address {:#x}, which it does not own.{}", fault.address,
                               fault.in_kernel != 0 ? ""
                                                    : " Host code reaches device memory through "
                                                      "cudaMemcpy only.");
    case SIGFPE:
      return "Is there an integer division by zero?";
    case SIGILL:
      return "Does a function that returns a value end without a return statement?";
    case SIGABRT:
      return "Look at its output for a failed assertion or an exception that nobody caught.";
    case SIGSYS:
      return refused_system_call;
    default:
      return "";
  }
}

/// Empty unless memory had run out.
std::string memory_advice(const Fault& fault, const Situation& situation) {
  // Less than this and an ordinary allocation may already have failed.
  constexpr std::size_t nothing_left = 64 * mebibyte;
  if (situation.address_space_bytes == 0 || fault.mapped_bytes == 0 ||
      fault.mapped_bytes + nothing_left < situation.address_space_bytes) {
    return "";
  }
  return fmt::format(
      "It had run out of memory: {} MiB are allowed. Does it allocate in a loop, or never free?",
      situation.address_space_bytes / mebibyte);
}

}  // namespace

std::string describe_crash(const Fault& fault, const SourceLocation& location,
                           const Situation& situation) {
  const std::string what =
      fmt::format("{} crashed{}: {}{}", subject(situation), while_loading(situation),
                  signal_text(fault.signal), place(fault, location));
  const std::string memory = memory_advice(fault, situation);
  if (!memory.empty()) return what + ". " + memory;
  if (fault.explanation[0] != '\0') return fmt::format("{}: {}.", what, fault.explanation);
  const std::string next = advice(fault);
  return next.empty() ? what + "." : what + ". " + next;
}

std::string describe_end(int wait_status, const Situation& situation) {
  if (WIFEXITED(wait_status)) {
    const int code = WEXITSTATUS(wait_status);
    if (situation.function.empty()) {
      return fmt::format(
          "exit called while the module was loading (exit status {}): does a static "
          "constructor call exit?",
          code);
    }
    return fmt::format(
        "{} ended the whole program with exit status {} instead of returning. "
        "Return a cudaError_t and leave exit() to programs of your own.",
        situation.function, code);
  }
  const int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if (signal == SIGKILL) {
    return fmt::format("{} was killed{}: by the system for want of memory, or by its own code.",
                       subject(situation), while_loading(situation));
  }
  if (signal == SIGXFSZ) {
    return fmt::format("{} wrote a file of more than {} MiB, which is not allowed.",
                       subject(situation), largest_file_bytes / mebibyte);
  }
  return fmt::format("{} crashed{}: {}.{}", subject(situation), while_loading(situation),
                     signal_text(signal),
                     signal == SIGSYS ? std::string(" ") + refused_system_call : "");
}

std::string describe_time_out(const std::optional<Fault>& fault, const SourceLocation& location,
                              const Situation& situation) {
  std::string text = fmt::format("{} was still running after {:g} s{}", subject(situation),
                                 situation.time_limit_s, while_loading(situation));
  if (fault) text += place(*fault, location);
  if (fault && fault->phase == Phase::waiting && fault->in_kernel == 0) {
    return text +
           ": the function returned, but a kernel it launched has not ended. Does one of "
           "its loops ever end?";
  }
  return text + ": does a loop, this one or one around it, ever end?";
}

}  // namespace tilewise::grading
