#include "grading/examiner/process/source_location.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ios>
#include <sstream>
#include <string_view>
#include <system_error>

#include "common/process/find_on_path.hpp"
#include "grading/examiner/process/child_process.hpp"
#include "grading/examiner/process/pipe.hpp"

namespace tilewise::grading {
namespace {

/// Everything that arrives until the other end closes, or until there has been enough time or text:
/// debug information that a student can shape must not hold up a grade.
std::string read_all(const FileDescriptor& out) {
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::seconds(2);
  constexpr std::size_t enough = 64 << 10;
  const auto deadline = Clock::now() + patience;
  std::string text;
  while (text.size() < enough) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd readable = {out.get(), POLLIN, 0};
    if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) <= 0) break;
    char bytes[4096];
    const ssize_t received = read(out.get(), bytes, sizeof bytes);
    if (received <= 0) break;
    text.append(bytes, static_cast<std::size_t>(received));
  }
  return text;
}

/// Splits "matmul_shared.cu:31 (discriminator 2)"; no file where the line is unknown ("?").
SourceLocation parse_place(std::string_view place) {
  const std::size_t colon = place.rfind(':', place.find(" (discriminator"));
  if (colon == std::string_view::npos || place.starts_with("??")) return {};
  SourceLocation location = {std::string(place.substr(0, colon)), 0};
  const auto digits = place.substr(colon + 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), location.line);
  const bool is_text = std::all_of(place.begin(), place.end(), [](unsigned char byte) {
    return byte >= 0x20 && byte < 0x7f;  // a #line directive can name any bytes a file
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
  // clang gives the jump of an empty loop no line: then that of what stands before it, no further
  // than an instruction is long.
  constexpr std::uint64_t longest_instruction = 15;
  std::vector<std::string> addresses;
  for (std::uint64_t back = 0; back <= std::min(offset, longest_instruction); ++back) {
    std::ostringstream address;
    address << "0x" << std::hex << offset - back;
    addresses.push_back(address.str());
  }
  constexpr std::size_t address_space_bytes = std::size_t{2} << 30;
  std::vector<std::string> command;
  if (sandbox) {
    SandboxView view{with_libraries(*addr2line)};
    view.readable.push_back(module);
    command = sandbox.command(view);
  }
  command.insert(command.end(), {*addr2line, "-e", module, "-a", "-i", "-s"});
  command.insert(command.end(), addresses.begin(), addresses.end());
  try {
    const FileDescriptor null = open_null();
    Pipe pipe = make_pipe();
    const ChildProcess child({.executable = command.front(),
                              .arguments = {command.begin() + 1, command.end()},
                              .descriptors = {null.get(), pipe.in.get(), null.get()},
                              .limits = {.address_space_bytes = address_space_bytes}});
    pipe.in.close();
    return parse_source_location(read_all(pipe.out));
  } catch (const std::system_error&) {
    return {};  // a message without its line is better than no message
  }
}

}  // namespace tilewise::grading
