#include "grading/examiner/process/failures.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <ios>
#include <regex>
#include <sstream>
#include <string_view>
#include <system_error>

#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "common/process/process.hpp"

namespace tilewise::grading {
namespace {

/// Splits "matmul_shared.cu:31 (discriminator 2)" into file and line. The file is empty where the
/// line is unknown ("?").
SourceLocation parse_place(std::string_view place) {
  const std::size_t colon = place.rfind(':', place.find(" (discriminator"));
  if (colon == std::string_view::npos || place.starts_with("??")) return {};
  SourceLocation location = {std::string(place.substr(0, colon)), 0};
  const auto digits = place.substr(colon + 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), location.line);
  const bool is_text = std::all_of(place.begin(), place.end(), [](unsigned char byte) {
    return byte >= 0x20 && byte < 0x7f;  // a #line directive can give a file any name
  });
  return parsed.ec == std::errc() && location.line > 0 && is_text ? location : SourceLocation{};
}

}  // namespace

SourceLocation parse_source_location(const std::string& output) {
  SourceLocation first_known;
  bool passed_over = false;
  std::istringstream lines(output);
  for (std::string place; std::getline(lines, place);) {
    const bool next_address = place.starts_with("0x");
    passed_over = place.ends_with(".cu:?") || (passed_over && !next_address);
    if (passed_over || next_address) continue;
    const SourceLocation location = parse_place(place);
    if (location.file.ends_with(".cu")) return location;
    if (first_known.file.empty()) first_known = location;
  }
  return first_known;
}

SourceLocation find_source_location(const std::filesystem::path& module, std::uint64_t offset,
                                    const Sandbox& sandbox) {
  const auto addr2line = find_on_path("addr2line");
  if (!addr2line) return {};
  // clang gives the jump of an empty loop no line. Then the line of what stands before it is taken,
  // no further back than an instruction is long.
  constexpr std::uint64_t longest_instruction = 15;
  std::vector<std::string> addresses;
  for (std::uint64_t back = 0; back <= std::min(offset, longest_instruction); ++back) {
    std::ostringstream address;
    address << "0x" << std::hex << offset - back;
    addresses.push_back(address.str());
  }
  // Debug information that a student can shape must not hold up a grade.
  constexpr double patience_s = 2;
  constexpr std::size_t address_space_bytes = std::size_t{2} << 30;
  Command command;
  command.arguments = {*addr2line, "-e", module, "-a", "-i", "-s"};
  command.arguments.insert(command.arguments.end(), addresses.begin(), addresses.end());
  command.inherits = {"PATH", "LD_LIBRARY_PATH"};
  command.limits = {.address_space_bytes = address_space_bytes, .file_bytes = 1};  // it writes none
  command.time_limit_s = patience_s;
  command.keeps_errors = false;
  if (sandbox) {
    command.sandbox = sandbox;
    command.view = {.readable = with_libraries(*addr2line)};
    command.view.readable.push_back(module);
  }
  try {
    return parse_source_location(run_command(std::move(command)).output);
  } catch (const std::system_error&) {
    return {};  // a message without its line is better than no message
  }
}

namespace {

/// Returns what a line of the log says, without the mark at its beginning and the blanks around it.
/// Empty for lines that are not compute-sanitizer's.
std::string text_of(const std::string& line) {
  constexpr std::string_view mark = "=========";
  if (!line.starts_with(mark)) return "";
  const std::size_t begin = line.find_first_not_of(" \t", mark.size());
  if (begin == line.npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.starts_with(word)) return true;
  }
  return false;
}

/// Whether a line reports no error: titles, summaries, the host's stack, and warnings of racecheck,
/// which sees some hazards where __syncwarp() rules them out.
bool is_no_error(std::string_view text) {
  return begins_with_any(
      text, {"COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY", "Saved host backtrace",
             "Host Frame", "Device Frame", "Warning", "WARNING"});
}

/// Whether a line gives more details of the error above it.
bool is_detail(std::string_view text) {
  return begins_with_any(text, {"at ", "by thread", "and ", "Address ", "Access "});
}

/// Finds "in FILE:LINE", which follows the function since version 2022, and stands before it in
/// other versions.
SourceLocation place_in(const std::string& text) {
  static const std::regex pattern(R"( in ([^ ]*/)?([^ /]+\.cuh?):([0-9]+))");
  std::smatch match;
  if (!std::regex_search(text, match, pattern)) return {};
  SourceLocation place{match[2], 0};
  const std::string digits = match[3];
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), place.line);
  return parsed.ec == std::errc() ? place : SourceLocation{};
}

}  // namespace

std::optional<std::filesystem::path> find_compute_sanitizer() {
  if (auto found = find_on_path("compute-sanitizer")) return found;
  const std::filesystem::path installed = "/usr/local/cuda/bin/compute-sanitizer";
  if (access(installed.c_str(), X_OK) == 0) return installed;
  return std::nullopt;
}

std::optional<SanitizerError> first_sanitizer_error(const std::string& log) {
  std::optional<SanitizerError> error;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::string text = text_of(line);
    if (text.empty() || is_no_error(text)) {
      if (error) break;
      continue;
    }
    if (is_detail(text) != error.has_value()) {
      if (error) break;
      continue;  // a detail of something that is no error
    }
    if (!error) error.emplace();
    if (!error->message.empty()) error->message += " ";
    error->message += text;
    if (error->place.file.empty()) error->place = place_in(text);
  }
  return error;
}

bool may_be_short_copy(const SanitizerError& error) {
  // Template arguments may contain parentheses themselves: Chooser<(unsigned long)16>::cp_async(
  static const std::regex pattern(
      "Invalid __global__ read of size (4|8|16) bytes at (<[^>]*>|[^(<])*(cp|memcpy)_async.*"
      "inside the nearest allocation");
  return std::regex_search(error.message, pattern);
}

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::string subject(const Situation& situation) {
  return situation.function.empty() ? tr("The submission") : situation.function;
}

std::string while_loading(const Situation& situation) {
  return situation.function.empty() ? tr(" while the module was loading (a static constructor?)")
                                    : "";
}

std::string place(const Fault& fault, const SourceLocation& location) {
  std::string text;
  if (fault.in_kernel != 0) {
    text +=
        tr(" in kernel {}, block ({}, {}, {}), thread ({}, {}, {})", fault.kernel, fault.block[0],
           fault.block[1], fault.block[2], fault.thread[0], fault.thread[1], fault.thread[2]);
  }
  if (!location.file.empty()) text += tr(" at {}:{}", location.file, location.line);
  return text;
}

std::string signal_text(int signal) {
  switch (signal) {
    case SIGSEGV:
      return tr("segmentation fault (SIGSEGV)");
    case SIGBUS:
      return tr("bus error (SIGBUS)");
    case SIGFPE:
      return tr("arithmetic error (SIGFPE)");
    case SIGILL:
      return tr("illegal instruction (SIGILL)");
    case SIGABRT:
      return tr("abort (SIGABRT)");
    case SIGSYS:
      return tr("a refused system call (SIGSYS)");
    case SIGXCPU:
      return tr("its calls took too much processor time in all (SIGXCPU)");
    default:
      return fmt::format("signal {}", signal);
  }
}

constexpr const char* refused_system_call = marked(
    "Your code asked the operating system for something that the grader does not allow, such as a "
    "file, a program or a connection. Compute with what the function is given.");

/// Returns what led to the fault, or what to do next, as far as the signal alone shows it.
std::string advice(const Fault& fault) {
  constexpr std::uint64_t near_null = 64 << 10;  // no system maps anything there
  if (fault.stack_overflow != 0) {
    return tr("The stack overflowed: is there a recursion without end, or a huge local array?");
  }
  switch (fault.signal) {
    case SIGSEGV:
    case SIGBUS:
      return fault.address < near_null
                 ? tr("It used a null pointer (address {:#x}).", fault.address)
                 : tr("It accessed address {:#x}, which it does not own.{}", fault.address,
                      fault.in_kernel != 0 ? ""
                                           : tr(" Host code reaches device memory through "
                                                "cudaMemcpy only."));
    case SIGFPE:
      return tr("Is there an integer division by zero?");
    case SIGILL:
      return tr("Does a function that returns a value end without a return statement?");
    case SIGABRT:
      return tr("Look at its output for a failed assertion or an exception that nobody caught.");
    case SIGSYS:
      return core::in_language(refused_system_call);
    default:
      return "";
  }
}

/// Returns advice if memory had run out; otherwise empty.
std::string memory_advice(const Fault& fault, const Situation& situation) {
  // With less than this left, an ordinary allocation may already have failed.
  constexpr std::size_t nothing_left = 64 * mebibyte;
  if (situation.address_space_bytes == 0 || fault.mapped_bytes == 0 ||
      fault.mapped_bytes + nothing_left < situation.address_space_bytes) {
    return "";
  }
  return tr(
      "It had run out of memory: {} MiB are allowed. Does it allocate in a loop, or never free?",
      situation.address_space_bytes / mebibyte);
}

/// The explanations of the simulator's signal handler, in ASCII (common/simt/runtime/faults.cpp).
constexpr const char* explanations[] = {
    marked("the kernel jumped to address {}, where there is no code: a pointer to a function was "
           "never set, or a local array was written beyond its end"),
    marked(
        "the kernel followed a pointer to neither global nor shared memory, such as one that was "
        "never set, or moved a vector, as float4 is, at an address that its size does not divide"),
    marked("the kernel moved 16 bytes at once at byte {} of {} ({} bytes), an address that 16 does "
           "not divide"),
    marked("the kernel touched global memory byte {} of {} ({} bytes)"),
    marked("the kernel touched global memory {} bytes before the start of {} ({} bytes)"),
    marked("the kernel touched global memory {} bytes past the end of {} ({} bytes)"),
    marked(
        "the kernel touched global memory an address in device memory that nothing was allocated "
        "at"),
    marked("host code dereferenced a device pointer (byte {} of {} ({} bytes)); copy with "
           "cudaMemcpy, or compute in a kernel"),
    marked("host code dereferenced a device pointer ({} bytes before the start of {} ({} bytes)); "
           "copy with cudaMemcpy, or compute in a kernel"),
    marked("host code dereferenced a device pointer ({} bytes past the end of {} ({} bytes)); copy "
           "with cudaMemcpy, or compute in a kernel"),
    marked("host code dereferenced a device pointer (an address in device memory that nothing was "
           "allocated at); copy with cudaMemcpy, or compute in a kernel"),
    marked("the thread's local variables and calls need more than 256 KiB"),
    marked("the kernel touched address {}, which is neither global nor shared memory"),
};

}  // namespace

std::string describe_crash(const Fault& fault, const SourceLocation& location,
                           const Situation& situation) {
  const std::string what = tr("{} crashed{}: {}{}", subject(situation), while_loading(situation),
                              signal_text(fault.signal), place(fault, location));
  const std::string memory = memory_advice(fault, situation);
  if (!memory.empty()) return what + ". " + memory;
  if (fault.explanation[0] != '\0') {
    return fmt::format("{}: {}.", what, core::retold(fault.explanation, explanations));
  }
  const std::string next = advice(fault);
  return next.empty() ? what + "." : what + ". " + next;
}

std::string describe_end(int wait_status, const Situation& situation) {
  if (WIFEXITED(wait_status)) {
    const int code = WEXITSTATUS(wait_status);
    if (situation.function.empty()) {
      return tr(
          "exit called while the module was loading (exit status {}): does a static "
          "constructor call exit?",
          code);
    }
    return tr(
        "{} ended the whole program with exit status {} instead of returning. "
        "Return a cudaError_t and leave exit() to programs of your own.",
        situation.function, code);
  }
  const int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if (signal == SIGKILL) {
    return tr("{} was killed{}: by the system for want of memory, or by its own code.",
              subject(situation), while_loading(situation));
  }
  if (signal == SIGXFSZ) {
    return tr("{} wrote a file of more than {} MiB, which is not allowed.", subject(situation),
              largest_file_bytes / mebibyte);
  }
  return tr("{} crashed{}: {}.{}", subject(situation), while_loading(situation),
            signal_text(signal),
            signal == SIGSYS ? " " + core::in_language(refused_system_call) : "");
}

std::string describe_time_out(const std::optional<Fault>& fault, const SourceLocation& location,
                              const Situation& situation) {
  std::string text = tr("{} was still running after {:g} s{}", subject(situation),
                        situation.time_limit_s, while_loading(situation));
  if (fault) text += place(*fault, location);
  if (fault && fault->phase == Phase::waiting && fault->in_kernel == 0) {
    return text + tr(": the function returned, but a kernel it launched has not ended. Does one of "
                     "its loops ever end?");
  }
  if (fault && fault->in_kernel != 0 && fault->explanation[0] != '\0') {
    return text + tr(": {}. Does each thread compute more than its own results, or are there far "
                     "more threads than results?",
                     fault->explanation);
  }
  text += tr(": does a loop, this one or one around it, ever end?");
  if (fault && fault->in_kernel != 0) {
    text +=
        tr(" If they all do, this thread has far too much to do: let each thread compute its "
           "own results only.");
  }
  return text;
}

}  // namespace tilewise::grading
