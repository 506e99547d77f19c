#include "grading/cli/rubric_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

std::set<std::string> tests_of_graders() {
  Command command;
  command.arguments = {tool("tilewise-examiner"), "--list-tests"};
  const CommandResult listed = run_command(command);
  if (!listed.succeeded()) {
    throw CannotGrade(fmt::format("the examiner {}; build Tilewise again: {}",
                                  describe_ending(listed), listed.output));
  }
  std::set<std::string> tests;
  std::istringstream lines(listed.output);
  for (std::string line; std::getline(lines, line);) tests.insert(line);
  return tests;
}

/// "MatmulShared" of "MatmulShared.IsFreeOfRaces".
std::string suite_of(const std::string& test) { return test.substr(0, test.find('.')); }

/// Of the suites that a stage's rubric names, what the rubric leaves out.
std::vector<std::string> left_out(const std::vector<RubricEntry>& rubric,
                                  const std::set<std::string>& known) {
  std::set<std::string> suites;
  for (const RubricEntry& entry : rubric) suites.insert(suite_of(entry.test));
  std::vector<std::string> tests;
  for (const std::string& test : known) {
    const bool is_listed = std::ranges::find(rubric, test, &RubricEntry::test) != rubric.end();
    if (suites.contains(suite_of(test)) && !is_listed) tests.push_back(test);
  }
  return tests;
}

struct CheckedRubric {
  Rubric rubric;
  std::set<std::string> tests;  ///< of all graders
};

CheckedRubric checked_rubric() {
  const auto root = layout().root;
  CheckedRubric checked{load_rubric(root), tests_of_graders()};
  for (const auto& [stage, entries] : checked.rubric) {
    for (const RubricEntry& entry : entries) {
      if (checked.tests.contains(entry.test)) continue;
      const std::vector<std::string> others = left_out(entries, checked.tests);
      throw CannotGrade(fmt::format(
          "{}: tests: no grader has the test {}{}{}", stage_file(root, stage).string(), entry.test,
          others.empty() ? "" : "; not listed are ", fmt::join(others, ", ")));
    }
  }
  return checked;
}

}  // namespace

void demand_rubric() { checked_rubric(); }

void show_rubric() {
  const CheckedRubric checked = checked_rubric();
  int sum = 0;
  for (const auto& [stage, entries] : checked.rubric) {
    int points = 0;
    for (const RubricEntry& entry : entries) points += entry.points;
    sum += points;
    const auto hidden = std::ranges::count(entries, true, &RubricEntry::hidden);
    std::cout << fmt::format("{:<20} {:>3} tests, {} hidden  {:>4} points\n", stage, entries.size(),
                             hidden, points);
    for (const std::string& test : left_out(entries, checked.tests)) {
      std::cout << fmt::format("  not run: {}\n", test);
    }
  }
  std::cout << fmt::format("{} points in all\n", sum);
}

}  // namespace tilewise::grading
