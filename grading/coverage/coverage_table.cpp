#include "grading/coverage/coverage_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grading/profile/numbers.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

constexpr const char* red = "\033[31m";
constexpr const char* plain = "\033[0m";

std::string heading(const SourceCoverage& source) {
  const std::size_t all = source.counts.size(), reached = source.lines_reached();
  if (all == 0) return fmt::format("  {}: it has no line of code\n", source.file);
  // Rounded down: 100% means every line.
  const std::size_t tenths_of_percent = reached * 1000 / all;
  return fmt::format("  {}: {}.{}% reached, {} of {} lines of code\n", source.file,
                     tenths_of_percent / 10, tenths_of_percent % 10, reached, all);
}

}  // namespace

std::size_t SourceCoverage::lines_reached() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(counts, [](const auto& line) { return line.second > 0; }));
}

std::string coverage_table(const SourceCoverage& source, bool colours) {
  std::string table = heading(source);
  for (int number = 1; number <= std::ssize(source.lines); ++number) {
    const std::string text = printable(source.lines[static_cast<std::size_t>(number - 1)]);
    const auto line = source.counts.find(number);
    const bool missed = line != source.counts.end() && line->second == 0;
    const std::string count = line == source.counts.end() ? ""
                              : missed                    ? "no test"
                                                          : with_commas(line->second);
    std::string shown =
        fmt::format("  {} {:>15} {:>5}  {}", missed ? '!' : ' ', count, number, text);
    shown.erase(shown.find_last_not_of(' ') + 1);
    table += missed && colours ? red + shown + plain + "\n" : shown + "\n";
  }
  return table;
}

}  // namespace tilewise::grading
