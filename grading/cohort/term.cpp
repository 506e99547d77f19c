#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grading/cohort/cohort.hpp"
#include "grading/cohort/gradebook.hpp"
#include "grading/cohort/marks.hpp"
#include "grading/cohort/tables.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// What a student has in one assignment.
struct Part {
  std::string status;
  std::optional<double> points;
  int late_days = 0;
};

struct StudentOfTerm {
  std::string name, id, email;
  std::map<std::string, Part> parts;  ///< by assignment
};

struct Assignment {
  std::string title;
  double max_points = 0;
};

class Term {
 public:
  void add(const fs::path& graded);

  const std::vector<Assignment>& assignments() const { return assignments_; }
  const std::vector<StudentOfTerm>& students() const { return students_; }
  double max_points() const;

 private:
  StudentOfTerm& student_of(const TableRow& row);

  std::vector<Assignment> assignments_;
  std::vector<StudentOfTerm> students_;
};

/// Finds a student by number, by address, or else by name, unless numbers or addresses differ. Adds
/// the student if there is none.
StudentOfTerm& Term::student_of(const TableRow& row) {
  const auto is_same = [&](const StudentOfTerm& known, std::string StudentOfTerm::*key,
                           const char* heading) {
    return !row[heading].empty() && in_lower_case(known.*key) == in_lower_case(row[heading]);
  };
  const auto differs = [&](const StudentOfTerm& known, std::string StudentOfTerm::*key,
                           const char* heading) {
    return !row[heading].empty() && !(known.*key).empty() && !is_same(known, key, heading);
  };
  auto found = std::ranges::find_if(students_, [&](const StudentOfTerm& known) {
    return is_same(known, &StudentOfTerm::id, "id");
  });
  if (found == students_.end()) {
    found = std::ranges::find_if(students_, [&](const StudentOfTerm& known) {
      return is_same(known, &StudentOfTerm::email, "email") &&
             !differs(known, &StudentOfTerm::id, "id");
    });
  }
  if (found == students_.end()) {
    found = std::ranges::find_if(students_, [&](const StudentOfTerm& known) {
      return is_same(known, &StudentOfTerm::name, "name") &&
             !differs(known, &StudentOfTerm::id, "id") &&
             !differs(known, &StudentOfTerm::email, "email");
    });
  }
  if (found == students_.end())
    found = students_.insert(students_.end(), {row["name"], "", "", {}});
  if (found->id.empty()) found->id = row["id"];
  if (found->email.empty()) found->email = row["email"];
  return *found;
}

double number_of(const TableRow& row, const std::string& heading, const std::string& file) {
  try {
    return row[heading].empty() ? 0 : std::stod(row[heading]);
  } catch (const std::exception&) {
    throw CannotGrade(fmt::format("{}:{}: {} is no number, but {}", printable(file), row.line,
                                  heading, printable(row[heading])));
  }
}

void Term::add(const fs::path& graded) {
  const fs::path file = graded / "gradebook.csv";
  const Table table = read_table(file);
  for (const char* heading : {"name", "status", "score", "max_score"}) {
    if (!table.has(heading)) {
      throw CannotGrade(
          fmt::format("{} has no column {}: name a folder that lab cohort grade wrote",
                      printable(file.string()), heading));
    }
  }
  Assignment assignment{fs::absolute(graded / "").parent_path().filename().string()};
  const auto has_title = [&](const Assignment& one) { return one.title == assignment.title; };
  if (std::ranges::any_of(assignments_, has_title)) {
    throw CannotGrade(fmt::format("two of the folders are called {}: they name the assignments",
                                  printable(assignment.title)));
  }
  for (const TableRow& row : table.rows) {
    Part part{row["status"], std::nullopt,
              static_cast<int>(number_of(row, "late_days", file.string()))};
    if (!row["score"].empty()) part.points = number_of(row, "score", file.string());
    assignment.max_points =
        std::max(assignment.max_points, number_of(row, "max_score", file.string()));
    StudentOfTerm& student = student_of(row);
    if (!student.parts.emplace(assignment.title, part).second) {
      throw CannotGrade(
          fmt::format("{}:{}: {} is there twice: a roster tells two of one name apart",
                      printable(file.string()), row.line, printable(row["name"])));
    }
  }
  assignments_.push_back(std::move(assignment));
}

double Term::max_points() const {
  double sum = 0;
  for (const Assignment& assignment : assignments_) sum += assignment.max_points;
  return sum;
}

struct Total {
  std::optional<double> points = std::nullopt;  ///< none if no assignment has any
  int late_days = 0;
  bool is_complete = true;  ///< whether there are points for each assignment
};

Total total_of(const StudentOfTerm& student, const std::vector<Assignment>& assignments) {
  Total total;
  for (const Assignment& assignment : assignments) {
    const auto part = student.parts.find(assignment.title);
    const bool has_points = part != student.parts.end() && part->second.points;
    total.is_complete = total.is_complete && has_points;
    if (!has_points) continue;
    total.points = total.points.value_or(0) + *part->second.points;
    total.late_days += part->second.late_days;
  }
  return total;
}

/// A student who was never graded has no points, which is not the same as 0.
std::string points_or_nothing(const Total& total) {
  return total.points ? points_in_words(*total.points) : "";
}

/// Returns the points, or why there are none.
std::string in_words(const StudentOfTerm& student, const Assignment& assignment) {
  const auto part = student.parts.find(assignment.title);
  if (part == student.parts.end()) return "missing";
  return part->second.points ? points_in_words(*part->second.points) : part->second.status;
}

std::string csv_of(const Term& term) {
  std::vector<std::string> headings = {"name", "id", "email"};
  for (const Assignment& assignment : term.assignments()) headings.push_back(assignment.title);
  headings.insert(headings.end(), {"score", "max_score", "late_days"});
  std::string csv = byte_order_mark + csv_row(headings);
  for (const StudentOfTerm& student : term.students()) {
    std::vector<std::string> cells = {student.name, student.id, student.email};
    for (const Assignment& assignment : term.assignments()) {
      cells.push_back(in_words(student, assignment));
    }
    const Total total = total_of(student, term.assignments());
    cells.insert(cells.end(), {points_or_nothing(total), points_in_words(term.max_points()),
                               std::to_string(total.late_days)});
    csv += csv_row(cells);
  }
  return csv;
}

std::string term_page(const Term& term, const std::string& title) {
  std::vector<std::string> headings = {"Name"}, rows;
  for (const Assignment& assignment : term.assignments()) {
    headings.push_back(
        fmt::format("{} (of {})", assignment.title, points_in_words(assignment.max_points)));
  }
  headings.push_back(fmt::format("Sum (of {})", points_in_words(term.max_points())));
  headings.emplace_back("Late days");
  std::vector<PointsOf> all;
  std::size_t incomplete = 0;
  for (const StudentOfTerm& student : term.students()) {
    const Total total = total_of(student, term.assignments());
    std::vector<PageCell> cells;
    for (const Assignment& assignment : term.assignments()) {
      cells.push_back({as_markup(in_words(student, assignment))});
    }
    cells.push_back({points_or_nothing(total)});
    cells.push_back({std::to_string(total.late_days)});
    rows.push_back(row_of(as_markup(student.name), cells, total.is_complete ? "" : "ungraded"));
    incomplete += !total.is_complete;
    if (total.points) all.push_back({*total.points, term.max_points()});
  }
  const std::string counts =
      fmt::format("{} students, {} of them without points somewhere, {} everywhere.",
                  term.students().size(), incomplete, term.students().size() - all.size());
  return page_of(title, distribution(counts, all) + sorted_table("Students", headings, rows));
}

}  // namespace

void merge_gradebooks(const fs::path& out, const std::vector<fs::path>& graded) {
  Term term;
  for (const fs::path& folder : graded) term.add(folder);
  demand_folder("OUT", out);
  const std::string title = fs::absolute(out / "").parent_path().filename().string();
  write_whole(out / "term.csv", csv_of(term));
  write_whole(out / "term.html", term_page(term, title));
  std::cout << fmt::format("{} students, {} assignments: {}/term.html\n", term.students().size(),
                           term.assignments().size(), printable(out.string()));
}

}  // namespace tilewise::grading
