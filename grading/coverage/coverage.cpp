#include "grading/coverage/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/results/printable.hpp"

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
std::optional<Number> leading_number(std::string_view text) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// Reads gcov's count of a line: "12", or "12*" if a part of the line was not run; "#####" or
/// "=====" if nothing of it was run; "-" if it has no code.
std::optional<std::uint64_t> count_in(std::string_view text) {
  if (text.starts_with('#') || text.starts_with('=')) return 0;
  return leading_number<std::uint64_t>(text);
}

}  // namespace

void add_gcov_listing(std::string_view listing, LineCounts& counts) {
  LineCounts of_this_object;
  while (!listing.empty()) {
    std::string_view line = take_until(listing, '\n');
    const std::optional count = count_in(trimmed(take_until(line, ':')));
    const std::optional number = leading_number<int>(trimmed(take_until(line, ':')));
    if (!count || !number || *number < 1) continue;
    // The listing repeats the lines of a template for each instance by itself; the total comes
    // first and is the largest.
    std::uint64_t& known = of_this_object[*number];
    known = std::max(known, *count);
  }
  for (const auto& [number, count] : of_this_object) counts[number] += count;
}

namespace {

namespace fs = std::filesystem;

/// The compiler's executable file, with links resolved: "/usr/bin/x86_64-linux-gnu-g++-12" for
/// "c++".
fs::path file_of(const std::vector<std::string>& compiler) {
  // In "ccache g++ -m64" the compiler is neither the first word nor an option.
  const auto last = std::find_if(compiler.rbegin(), compiler.rend(),
                                 [](const std::string& word) { return !word.starts_with('-'); });
  if (last == compiler.rend()) return {};
  const fs::path found = find_program(*last);
  return found.empty() ? found : fs::canonical(found);
}

/// The name of the coverage tool that belongs to the compiler.
std::string beside(const fs::path& compiler, bool clang) {
  std::string name = compiler.filename();
  if (clang) return "llvm-cov";
  constexpr std::string_view gnu = "g++";
  const std::size_t at = name.find(gnu);
  return at == name.npos ? "gcov" : name.replace(at, gnu.size(), "gcov");
}

}  // namespace

std::vector<std::string> gcov_command(const std::vector<std::string>& compiler) {
  const bool clang = is_clang(compiler);
  const fs::path file = file_of(compiler);
  const std::string name = beside(file, clang);
  const std::string usual = clang ? "llvm-cov" : "gcov";
  for (const std::string& program : {(file.parent_path() / name).string(), name, usual}) {
    if (find_program(program).empty()) continue;
    return clang ? std::vector<std::string>{program, "gcov"} : std::vector<std::string>{program};
  }
  throw std::runtime_error(
      tr("{} is not found, which reads what was counted; install the package {}", usual,
         clang ? tr("llvm, of the version of your clang") : tr("gcc, of the version of your g++")));
}

void add_counts(const std::vector<std::string>& gcov, const CountedSource& counted,
                LineCounts& counts) {
  // gcov quotes the source's lines only if it finds the source.
  const fs::path folder = counted.object.parent_path(), copy = folder / counted.name;
  fs::create_directories(copy.parent_path());
  fs::copy_file(counted.source, copy, fs::copy_options::overwrite_existing);

  Command command;
  command.arguments = gcov;
  // This leaves out the system's headers.
  command.arguments.emplace_back("--relative-only");
  command.arguments.push_back(counted.object.string() + ".gcda");
  command.working_directory = folder;
  const CommandResult result = run_command(std::move(command));
  std::ifstream file(folder / (copy.filename().string() + ".gcov"), std::ios::binary);
  if (!result.succeeded() || !file) {
    throw std::runtime_error(tr("{} {} and has no counts of {}: {}", gcov.front(),
                                describe_ending(result), counted.name, result.output));
  }
  const std::string listing{std::istreambuf_iterator<char>(file), {}};
  add_gcov_listing(listing, counts);
}

namespace {

constexpr const char* red = "\033[31m";
constexpr const char* plain = "\033[0m";

std::string heading(const SourceCoverage& source) {
  const std::size_t all = source.counts.size(), reached = source.lines_reached();
  if (all == 0) return tr("  {}: it has no line of code\n", source.file);
  // The percentage is rounded down, so that 100% means every line.
  const std::size_t tenths_of_percent = reached * 1000 / all;
  return tr("  {}: {}.{}% reached, {} of {} lines of code\n", source.file, tenths_of_percent / 10,
            tenths_of_percent % 10, reached, all);
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
                              : missed                    ? tr("no test")
                                                          : with_commas(line->second);
    std::string shown =
        fmt::format("  {} {:>15} {:>5}  {}", missed ? '!' : ' ', count, number, text);
    shown.erase(shown.find_last_not_of(' ') + 1);
    table += missed && colours ? red + shown + plain + "\n" : shown + "\n";
  }
  return table;
}

}  // namespace tilewise::grading
