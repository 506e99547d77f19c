#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "grading/cli/submission.hpp"
#include "grading/cohort/class.hpp"
#include "grading/cohort/gradebook.hpp"
#include "grading/cohort/tables.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/emitters.hpp"
#include "grading/results/files.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Returns the result without what the student may not see of hidden tests.
GradeResult shown_to_student(const Mark& mark) { return without_hidden(*mark.graded.result); }

/// Returns a remark's test as the student sees it; a hidden test shows its number only.
std::string shown_test(const Mark& mark, const Remark& remark) {
  if (!mark.graded.result) return remark.test;
  const GradeResult shown = shown_to_student(mark);
  for (std::size_t i = 0; i < shown.stages.size(); ++i) {
    const auto& tests = mark.graded.result->stages[i].tests;
    const auto test = std::ranges::find(tests, remark.test, &TestResult::name);
    if (shown.stages[i].id == remark.stage && test != tests.end()) {
      return shown.stages[i].tests[static_cast<std::size_t>(test - tests.begin())].name;
    }
  }
  return remark.test;
}

std::string remark_in_words(const Mark& mark, const Remark& remark) {
  std::string text = remark.stage;
  if (!remark.test.empty()) text += " " + shown_test(mark, remark);
  if (remark.points) {
    const bool is_added = remark.test.empty();
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ": ",
                        is_added && *remark.points > 0 ? "+" : "", points_in_words(*remark.points),
                        std::abs(*remark.points) == 1 ? "point" : "points");
  }
  if (!remark.comment.empty()) text += (text.empty() ? "" : ": ") + remark.comment;
  return fmt::format("  {}\n", printable(text));
}

std::string remarks_in_words(const Mark& mark) {
  if (mark.remarks.empty()) return "";
  std::string text = "\nBy hand, from your instructor:\n";
  for (const Remark& remark : mark.remarks) text += remark_in_words(mark, remark);
  return text;
}

/// Returns when the file was copied from what was handed in; empty if it is not known.
std::string taken_in_words(const fs::path& origin) {
  struct stat status {};
  if (::stat(origin.c_str(), &status) != 0) return "";
  return ", taken in " + in_words(status.st_mtime);
}

/// Returns which files were graded, so that nobody wonders whether the last one counted.
std::string files_in_words(const fs::path& sources) {
  std::string text;
  for (const fs::path& place : places_in(sources)) {
    const auto origin = origin_of(sources, place);
    if (!origin) continue;
    text += fmt::format("  {}, as {}\n    SHA-256 {}{}\n", printable(origin->path), place.string(),
                        origin->sha256, taken_in_words(origin_file(sources, place)));
  }
  return text.empty() ? "" : "Graded:\n" + text;
}

/// Returns when and how it was handed in, and which attempt counts, as far as that is known.
std::string circumstances_in_words(const Mark& mark) {
  std::string text;
  if (const std::string time = time_in_words(mark); !time.empty()) text += "  " + time + "\n";
  for (const std::string& note : mark.notes) {
    const bool is_told = note == "late" && !text.empty();
    if (!is_told) text += fmt::format("  {}\n", printable(note));
  }
  return text;
}

/// Returns the sum of points, if being late or an instructor has changed what the tests gave.
std::string sum_in_words(const Mark& mark) {
  const bool is_sum_of_tests = mark.graded.result && mark.points == mark.graded.result->score;
  return is_sum_of_tests || !mark.has_points()
             ? ""
             : fmt::format("\n{} of {} points in all.\n", points_in_words(mark.points),
                           mark.max_points);
}

std::string expected_files(const std::vector<std::string>& stages) {
  std::string text;
  for (const std::string& id : stages) {
    for (const std::string& source : stage_called(id).sources) {
      text += fmt::format("  {}, which the course has as labs/{}/{}\n", source, id, source);
    }
  }
  return text;
}

}  // namespace

std::string feedback_text(const Mark& mark, const fs::path& sources,
                          const std::vector<std::string>& stages) {
  std::ostringstream text;
  if (!mark.graded.result) {
    if (mark.submission.empty()) {
      text << "Nothing was handed in.\n";
    } else {
      text << fmt::format(
          "Could not be graded: {}\n{}\nHand in these files as plain text, by themselves, in a "
          "folder "
          "or in an archive, each under the name that it has here:\n{}If you did, show this to "
          "your "
          "instructor.\n",
          mark.graded.problem, circumstances_in_words(mark), expected_files(stages));
    }
    text << remarks_in_words(mark) << sum_in_words(mark);
    return text.str();
  }
  TerminalReport report(text, {});
  const GradeResult shown = shown_to_student(mark);
  for (const StageResult& stage : shown.stages) {
    report.begin_stage(stage.id);
    report.print_causes(stage, {});
    if (!causes_of(stage).empty()) text << '\n';
    for (const TestResult& test : stage.tests) report.print_test(test);
  }
  report.print_points(shown);
  text << files_in_words(sources) << circumstances_in_words(mark) << remarks_in_words(mark)
       << sum_in_words(mark)
       << fmt::format("\nGraded on {}, backend {}.\n", printable(shown.device), shown.backend);
  return text.str();
}

std::string gradescope_file(const Mark& mark) {
  if (!mark.graded.result) {
    nlohmann::ordered_json document = gradescope_document(feedback_text(mark, {}, {}));
    document["score"] = mark.points;
    return to_file(document);
  }
  nlohmann::ordered_json document = gradescope_document(*mark.graded.result, 0);
  document.erase("execution_time");
  document["score"] = mark.points;
  document["output"] = document["output"].get<std::string>() + "\n" +
                       printable(time_in_words(mark)) + remarks_in_words(mark);
  std::size_t next = 0;
  for (const StageResult& stage : mark.graded.result->stages) {
    for (const TestResult& test : stage.tests) {
      document["tests"][next++]["score"] = points_of(mark, stage.id, test);
    }
  }
  return to_file(document);
}

namespace {

/// Makes the folder without what an earlier run wrote about students who have other names now.
void make_anew(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  demand_folder("--out", folder);
}

/// Writes one file per student, because a group's members may have different deadlines and points.
void write_feedback(const std::vector<Mark>& marks, const std::vector<std::string>& stages,
                    const Ledger& ledger) {
  const fs::path folder = ledger.folder() / "feedback";
  make_anew(folder);
  for (const Mark& mark : marks) {
    if (mark.state() == Mark::State::missing && mark.remarks.empty()) continue;
    write_output(folder / (file_name_of(mark.name) + ".txt"),
                 feedback_text(mark, ledger.submission(mark.submission), stages));
  }
}

/// Writes the tables that platforms import. They must have the real names.
void write_for_platforms(const Class& of_all, std::vector<Mark> marks, const fs::path& out,
                         const std::string& title) {
  if (!of_all.has_roster) return;
  const bool has_pseudonyms = !of_all.pseudonyms.empty();
  for (Mark& mark : marks) {
    const auto& students = of_all.roster.students();
    const auto student = std::ranges::find(students, mark.name, &Student::name);
    if (student == students.end()) continue;
    const Student& real =
        of_all.real_students[static_cast<std::size_t>(student - students.begin())];
    mark.name = real.name;
    mark.id = real.id;
    mark.email = real.email;
  }
  const auto file = [&](const std::string& name) {
    return has_pseudonyms ? of_all.pseudonyms.parent_path() /
                                (of_all.pseudonyms.stem().string() + "_" + title + "_" + name)
                          : out / name;
  };
  write_whole(file("moodle.csv"), moodle_csv(marks, title));
  write_whole(file("canvas.csv"), canvas_csv(marks, of_all.real_students.students(), title));
}

/// Returns the folder's name.
std::string title_of(const fs::path& out) {
  return fs::absolute(out / "").parent_path().filename().string();
}

}  // namespace

std::size_t write_reports(const Class& of_all, const Ledger& ledger,
                          const std::vector<Undone>& undone) {
  const fs::path& out = ledger.folder();
  const std::vector<std::string>& stages = of_all.settings.stages;
  const std::vector<Mark> marks = marks_of(of_all, ledger, undone);
  std::string timing = byte_order_mark + csv_row({"name", "seconds"});
  long graded = 0;
  for (const CohortEntry& entry : of_all.entries()) {
    if (!ledger.is_done(entry.name)) continue;
    graded += graded_of(entry.name, ledger, undone).result.has_value();
    timing += csv_row({entry.name, fmt::format("{:.1f}", ledger.seconds(entry.name))});
  }
  const std::string title = title_of(out);
  write_whole(out / "gradebook.csv", gradebook_csv(marks, stages));
  write_whole(out / "tests.csv", tests_csv(marks));
  write_whole(out / "statistics.csv", statistics_csv(marks));
  write_whole(out / "gradebook.html",
              gradebook_html(marks, stages, title,
                             fmt::format("{}; {}", in_words(*find_settings(out)),
                                         in_words(std::time(nullptr)))));
  write_whole(out / "timing.csv", timing);
  write_feedback(marks, stages, ledger);
  write_for_platforms(of_all, marks, out, title);
  make_anew(out / "gradescope");
  for (const Mark& mark : marks) {
    if (!mark.has_points()) continue;
    write_output(out / "gradescope" / (file_name_of(mark.name) + ".json"), gradescope_file(mark));
  }
  const auto missing = std::ranges::count(marks, Mark::State::missing, &Mark::state);
  std::cout << fmt::format(
                   "{} submissions: {} graded, {} not{}. {}/gradebook.html\n",
                   of_all.entries().size(), graded, std::ssize(of_all.entries()) - graded,
                   missing > 0 ? fmt::format("; {} of the roster handed in nothing", missing) : "",
                   printable(out.string()))
            << std::flush;
  return static_cast<std::size_t>(std::ranges::count(marks, Mark::State::not_graded, &Mark::state));
}

}  // namespace tilewise::grading
