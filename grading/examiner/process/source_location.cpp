#include "grading/examiner/process/source_location.hpp"

#include <algorithm>
#include <charconv>
#include <ios>
#include <sstream>
#include <string_view>
#include <system_error>

#include "common/process/command.hpp"

namespace tilewise::grading {
namespace {

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

}  // namespace tilewise::grading
