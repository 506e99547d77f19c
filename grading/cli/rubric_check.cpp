#include "grading/cli/rubric_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/built_parts.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

/// Returns the tests that a stage's grader has and its rubric leaves out.
std::vector<std::string> left_out(const std::vector<RubricEntry>& rubric,
                                  const std::vector<std::string>& known) {
  std::vector<std::string> tests;
  std::ranges::copy_if(known, std::back_inserter(tests), [&](const std::string& test) {
    return std::ranges::find(rubric, test, &RubricEntry::test) == rubric.end();
  });
  return tests;
}

/// @return the tests that the rubric of the stage leaves out
std::vector<std::string> check_rubric(const std::string& stage,
                                      const std::vector<RubricEntry>& entries) {
  const std::vector<std::string> known = tests_of_grader(stage);
  std::vector<std::string> others = left_out(entries, known);
  for (const RubricEntry& entry : entries) {
    if (std::ranges::find(known, entry.test) != known.end()) continue;
    throw CannotGrade(fmt::format(
        "{}: tests: the grader has no test {}{}{}", stage_file(layout().root, stage).string(),
        entry.test, others.empty() ? "" : "; not listed are ", fmt::join(others, ", ")));
  }
  return others;
}

}  // namespace

std::vector<std::string> tests_of_grader(const std::string& stage) {
  Command command;
  command.arguments = {examiner_of(stage), "--list-tests"};
  const CommandResult listed = run_command(command);
  if (!listed.succeeded()) {
    throw CannotGrade(fmt::format("the examiner {}; build Tilewise again: {}",
                                  describe_ending(listed), listed.output));
  }
  std::vector<std::string> tests;
  std::istringstream lines(listed.output);
  for (std::string line; std::getline(lines, line);) tests.push_back(line);
  return tests;
}

void demand_rubric(const std::vector<StageInfo>& stages) {
  const Rubric rubric = load_rubric(layout().root);
  have_built(parts_that_grade(stages));
  for (const StageInfo& stage : stages) check_rubric(stage.id, rubric.at(stage.id));
}

void show_rubric() {
  have_built(parts_that_grade(stages()));
  const Rubric rubric = load_rubric(layout().root);
  std::string text;
  int sum = 0;
  for (const auto& [stage, entries] : rubric) {
    int points = 0;
    for (const RubricEntry& entry : entries) points += entry.points;
    sum += points;
    const auto hidden = std::ranges::count(entries, true, &RubricEntry::hidden);
    text += fmt::format("{:<20} {:>3} tests, {} hidden  {:>4} points\n", stage, entries.size(),
                        hidden, points);
    for (const std::string& test : check_rubric(stage, entries)) {
      text += fmt::format("  not run: {}\n", test);
    }
  }
  std::cout << fmt::format("{}{} points in all\n", text, sum);
}

}  // namespace tilewise::grading
