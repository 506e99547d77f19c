#include "grading/cohort/marks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "grading/cli/submission.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/tables.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

int max_points_of(const std::vector<RubricEntry>& tests) {
  int sum = 0;
  for (const RubricEntry& entry : tests) sum += entry.points;
  return sum;
}

/// Finds a test by its name, or by the part of the name after the dot.
const RubricEntry& test_called(const std::string& word, const std::vector<RubricEntry>& tests,
                               const std::string& where) {
  const auto found = std::ranges::find_if(tests, [&](const RubricEntry& entry) {
    return entry.test == word || entry.test.ends_with("." + word);
  });
  if (found != tests.end()) return *found;
  std::vector<std::string> names;
  for (const RubricEntry& entry : tests) names.push_back(entry.test);
  throw CannotGrade(fmt::format("{}: there is no test {}; the stage has {}", where, printable(word),
                                fmt::join(names, ", ")));
}

double read_points(std::string text, const std::string& where) {
  std::ranges::replace(text, ',', '.');  // half of the world writes a decimal comma
  try {
    std::size_t end = 0;
    const double points = std::stod(text, &end);
    constexpr double most = 1e6;
    if (end == text.size() && std::abs(points) <= most) return points;
  } catch (const std::exception&) {
  }
  throw CannotGrade(fmt::format("{}: {} are no points", where, printable(text)));
}

Remark read_remark(const TableRow& row, const std::string& where, const Roster& roster,
                   const std::vector<std::string>& stages, const Rubric& rubric) {
  Remark remark{.student = roster.demand(row["student"], where)};
  try {
    if (!row["stage"].empty()) {
      remark.stage = choose_stages({row["stage"]}, grading::stages()).front().id;
    }
  } catch (const CannotGrade& error) {
    throw CannotGrade(fmt::format("{}: {}", where, error.what()));
  }
  if (!remark.stage.empty() && std::ranges::find(stages, remark.stage) == stages.end()) {
    throw CannotGrade(fmt::format("{}: {} is not graded here", where, remark.stage));
  }
  remark.comment = row["comment"];
  if (!row["points"].empty()) remark.points = read_points(row["points"], where);
  if (!remark.points && remark.comment.empty()) {
    throw CannotGrade(where + ": the row has neither points nor a comment");
  }
  if (row["test"].empty()) return remark;
  if (remark.stage.empty()) throw CannotGrade(where + ": the row names a test, and no stage");
  const RubricEntry& test = test_called(row["test"], rubric_of(rubric, remark.stage), where);
  remark.test = test.test;
  if (remark.points && (*remark.points < 0 || *remark.points > test.points)) {
    throw CannotGrade(fmt::format("{}: {} has from 0 to {} points, not {}", where, test.test,
                                  test.points, *remark.points));
  }
  return remark;
}

}  // namespace

std::vector<Remark> read_remarks(const std::filesystem::path& file, const Roster& roster,
                                 const std::vector<std::string>& stages, const Rubric& rubric) {
  const std::string name = printable(file.string());
  const Table table = read_table(file);
  const std::set<std::string> known = {"student", "stage", "test", "points", "comment"};
  for (const std::string& heading : table.headings) {
    if (!known.contains(heading)) {
      throw CannotGrade(fmt::format("{}: the column '{}' is none of {}", name, printable(heading),
                                    fmt::join(known, ", ")));
    }
  }
  std::vector<Remark> remarks;
  std::set<std::tuple<std::size_t, std::string, std::string>> tests;
  for (const TableRow& row : table.rows) {
    const std::string where = fmt::format("{}:{}", name, row.line);
    remarks.push_back(read_remark(row, where, roster, stages, rubric));
    const Remark& last = remarks.back();
    if (!last.test.empty() && last.points &&
        !tests.emplace(last.student, last.stage, last.test).second) {
      throw CannotGrade(fmt::format("{}: {} of {} has points twice", where, last.test,
                                    printable(roster[last.student].name)));
    }
  }
  return remarks;
}

Mark::State Mark::state() const {
  const bool has_points_by_hand =
      std::ranges::any_of(remarks, [](const Remark& remark) { return remark.points.has_value(); });
  if (graded.result) return State::graded;
  if (has_points_by_hand) return State::by_hand;
  return submission.empty() ? State::missing : State::not_graded;
}

int Mark::late_days() const {
  int days = 0;
  for (const StageMark& stage : stages) days = std::max(days, stage.late.days);
  return days;
}

const StageMark* Mark::stage(const std::string& id) const {
  const auto found = std::ranges::find(stages, id, &StageMark::id);
  return found == stages.end() ? nullptr : &*found;
}

std::string_view to_string(Mark::State state) {
  switch (state) {
    case Mark::State::graded:
      return "graded";
    case Mark::State::by_hand:
      return "by hand";
    case Mark::State::not_graded:
      return "not graded";
    case Mark::State::missing:
      break;
  }
  return "missing";
}

double points_of(const Mark& mark, const std::string& stage, const TestResult& test) {
  for (const Remark& remark : mark.remarks) {
    if (remark.stage == stage && remark.test == test.name && remark.points) return *remark.points;
  }
  return test.score;
}

void add_up(Mark& mark, const std::vector<std::string>& stages, const Rubric& rubric,
            const Deadlines& deadlines, const std::vector<std::size_t>& students) {
  mark.stages.clear();
  mark.points = mark.max_points = 0;
  if (!mark.has_points()) return;
  for (const std::string& id : stages) {
    StageMark stage{.id = id, .max_points = max_points_of(rubric_of(rubric, id))};
    if (mark.graded.result) {
      const auto& results = mark.graded.result->stages;
      const auto result = std::ranges::find(results, id, &StageResult::id);
      if (result != results.end()) {
        stage.max_points = result->max_score;
        for (const TestResult& test : result->tests) stage.points += points_of(mark, id, test);
      }
    }
    stage.late = deadlines.lateness(students, id, mark.at);
    stage.points *= 1 - stage.late.percent / 100;
    for (const Remark& remark : mark.remarks) {
      const bool is_ungraded_test = !mark.graded.result && !remark.test.empty();
      if (remark.stage == id && remark.points && (remark.test.empty() || is_ungraded_test)) {
        stage.points += *remark.points;
      }
    }
    mark.points += stage.points;
    mark.max_points += stage.max_points;
    mark.stages.push_back(std::move(stage));
  }
  for (const Remark& remark : mark.remarks) {
    if (remark.stage.empty()) mark.points += remark.points.value_or(0);
  }
}

std::string points_in_words(double points) {
  const double rounded = std::round(100 * points) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string time_in_words(const Mark& mark) {
  std::string text;
  if (mark.at.time) {
    text = fmt::format("handed in {} ({})", in_words(*mark.at.time), mark.at.said_by);
  } else if (mark.at.marked_late) {
    return "late, as the platform marks it; how late is not known, and costs nothing";
  }
  const auto worst = std::ranges::max_element(mark.stages, {}, [](const StageMark& stage) {
    return stage.late.percent * 1e4 + stage.late.days;
  });
  const std::string late = worst == mark.stages.end() ? "" : in_words(worst->late);
  return text + (late.empty() ? "" : ", " + late);
}

}  // namespace tilewise::grading
