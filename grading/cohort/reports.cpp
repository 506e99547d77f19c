#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <system_error>

#include "grading/cohort/class.hpp"
#include "grading/cohort/feedback.hpp"
#include "grading/cohort/gradebook.hpp"
#include "grading/cohort/tables.hpp"
#include "grading/cohort/times.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Without what an earlier run wrote of students who are called otherwise now.
void make_anew(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  demand_folder("--out", folder);
}

/// By student: a group's members may have other deadlines and points.
void write_feedback(const std::vector<Mark>& marks, const Ledger& ledger) {
  const fs::path folder = ledger.folder() / "feedback";
  make_anew(folder);
  for (const Mark& mark : marks) {
    if (mark.state() == Mark::State::missing && mark.remarks.empty()) continue;
    write_output(folder / (file_name_of(mark.name) + ".txt"),
                 feedback_text(mark, ledger.submission(mark.submission)));
  }
}

/// What platforms import. It has to tell who is who.
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

/// What the folder is called.
std::string title_of(const fs::path& out) {
  return fs::absolute(out / "").parent_path().filename().string();
}

}  // namespace

void write_reports(const Class& of_all, const Ledger& ledger, const std::vector<Undone>& undone) {
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
  write_feedback(marks, ledger);
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
}

}  // namespace tilewise::grading
