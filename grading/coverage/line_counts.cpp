#include "grading/coverage/line_counts.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tilewise::grading {
namespace {

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// "12", "12*" where a part of the line was not run, "#####" or "=====" where nothing of it was,
/// and
/// "-" where it has no code.
std::optional<std::uint64_t> count_in(std::string_view text) {
  if (text.starts_with('#') || text.starts_with('=')) return 0;
  return number_in<std::uint64_t>(text);
}

}  // namespace

void add_gcov_listing(std::string_view listing, LineCounts& counts) {
  LineCounts of_this_object;
  while (!listing.empty()) {
    std::string_view line = take_until(listing, '\n');
    const std::optional count = count_in(trimmed(take_until(line, ':')));
    const std::optional number = number_in<int>(trimmed(take_until(line, ':')));
    if (!count || !number || *number < 1) continue;
    // Behind the lines of a template come those of each instance by itself.
    std::uint64_t& known = of_this_object[*number];
    known = std::max(known, *count);
  }
  for (const auto& [number, count] : of_this_object) counts[number] += count;
}

}  // namespace tilewise::grading
