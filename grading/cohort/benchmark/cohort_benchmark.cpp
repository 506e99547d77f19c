/// \file
/// Takes in a class, grades it without a break, and grades it once more while killing the run
/// twice. Reports how long this takes and whether the gradebooks are the same. Exit status: 0 if
/// they are, 1 if they are not, 2 if it could not run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cohort/benchmark/class_of_submissions.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  int submissions = 100;
  int jobs = 2;
  bool takes_in_only = false;
};

class Benchmark {
 public:
  explicit Benchmark(const Options& options) : options_(options) {
    fmt::print("writing {} submissions\n", options.submissions);
    write_class(in(), options.submissions);
  }

  /// @return seconds
  double grade(const fs::path& to) const { return seconds_of(command(to)); }

  /// @return seconds
  double take_in() const {
    Command intake;
    intake.arguments = {tool("tilewise"), "cohort", "intake", in()};
    return seconds_of(std::move(intake));
  }

  /// Grades until `enough` submissions are done, then kills the whole run.
  void grade_until(const fs::path& to, int enough) const {
    RunningCommand running(command(to));
    while (done(to) < enough) {
      if (running.is_over()) throw std::runtime_error(running.wait().output);
    }
    fmt::print("killed with {} done\n", done(to));
  }

  fs::path out(const std::string& name) const { return scratch_.path() / name; }

 private:
  static double seconds_of(Command command) {
    const auto begin = Clock::now();
    const CommandResult result = run_command(std::move(command));
    if (!result.succeeded()) throw std::runtime_error(result.output);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  fs::path in() const { return scratch_.path() / "in"; }

  Command command(const fs::path& to) const {
    Command command;
    command.arguments = {tool("tilewise"),
                         "cohort",
                         "grade",
                         in(),
                         "3",
                         "--backend",
                         "simt",
                         "--out",
                         to,
                         "--jobs",
                         std::to_string(options_.jobs)};
    return command;
  }

  static long done(const fs::path& to) {
    std::error_code not_yet;
    return std::ranges::count_if(
        fs::directory_iterator(to / "results", not_yet), [](const fs::directory_entry& item) {
          return item.path().extension() == ".json" || item.path().extension() == ".problem";
        });
  }

  Options options_;
  ScratchDirectory scratch_;
};

/// Prints the submissions that took longest, from timing.csv.
void print_slowest(const fs::path& out) {
  std::vector<std::pair<double, std::string>> times;
  std::istringstream lines(text_of(out / "timing.csv"));
  std::string line;
  std::getline(lines, line);  // the titles of the columns
  double total = 0;
  while (std::getline(lines, line)) {
    const std::size_t comma = line.find(',');
    times.emplace_back(std::stod(line.substr(comma + 1)), line.substr(0, comma));
    total += times.back().first;
  }
  std::ranges::sort(times, std::greater());
  fmt::print("{:.1f} s a submission; the slowest:\n", total / static_cast<double>(times.size()));
  constexpr std::size_t most_shown = 8;
  times.resize(std::min(most_shown, times.size()));
  for (const auto& [seconds, name] : times) fmt::print("  {:6.1f} s  {}\n", seconds, name);
}

bool run(const Options& options) {
  const Benchmark benchmark(options);
  fmt::print("{} submissions taken in: {:.1f} s\n", options.submissions, benchmark.take_in());
  if (options.takes_in_only) return true;
  const fs::path whole = benchmark.out("whole"), killed = benchmark.out("killed");
  fmt::print("{} submissions, {} at a time: {:.0f} s\n", options.submissions, options.jobs,
             benchmark.grade(whole));
  print_slowest(whole);

  // This run uses the same seeds.
  fs::create_directories(killed);
  fs::copy_file(whole / "cohort.json", killed / "cohort.json");
  benchmark.grade_until(killed, options.submissions / 3);
  benchmark.grade_until(killed, options.submissions * 2 / 3);
  benchmark.grade(killed);
  bool same = true;
  for (const char* file : {"gradebook.csv", "statistics.csv"}) {
    const bool agrees = text_of(whole / file) == text_of(killed / file);
    fmt::print("{}: {}\n", file, agrees ? "identical" : "DIFFERENT");
    same = same && agrees;
  }
  return same;
}

}  // namespace
}  // namespace tilewise::grading

int main(int argc, char** argv) {
  tilewise::grading::Options options;
  CLI::App app("How long a class takes to grade, and whether kills on the way change anything.");
  app.add_option("--submissions", options.submissions, "How many (default: 100)")
      ->check(CLI::Range(3, 10'000));
  app.add_option("--jobs", options.jobs, "Submissions at a time (default: 2)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--intake", options.takes_in_only, "Take them in, and grade nothing");
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // minutes pass from line to line
  try {
    return tilewise::grading::run(options) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cohort_benchmark: {}\n", error.what());
    return 2;
  }
}
