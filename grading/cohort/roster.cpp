#include "grading/cohort/roster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <set>
#include <system_error>

#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/tables.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

// Headings in lower case. Those of a kind are in the order in which they are preferred for display,
// and include Moodle's in German, Spanish, French and Polish.
const std::vector<std::string> name_headings = {
    "name",           "full name",          "student",         "student name",
    "display name",   "vollständiger name", "nombre completo", "nom complet",
    "imię i nazwisko"};
const std::vector<std::string> first_name_headings = {
    "first name", "given name", "first_name", "vorname", "nombre", "prénom", "imię"};
const std::vector<std::string> last_name_headings = {
    "last name",   "surname",   "family name", "last_name",      "nachname",
    "apellido(s)", "apellidos", "nom",         "nom de famille", "nazwisko"};
const std::vector<std::string> id_headings = {"id number",
                                              "sid",
                                              "student id",
                                              "sis user id",
                                              "orgdefinedid",
                                              "id",
                                              "identifier",
                                              "username",
                                              "login",
                                              "login id",
                                              "sis login id",
                                              "integration id",
                                              "github_username",
                                              "github username",
                                              "id-nummer",
                                              "matrikelnummer",
                                              "anmeldename",
                                              "número de id",
                                              "numéro d’identification",
                                              "numer id"};
const std::vector<std::string> address_headings = {"email",
                                                   "email address",
                                                   "e-mail",
                                                   "e-mail address",
                                                   "e-mail-adresse",
                                                   "dirección de correo",
                                                   "adresse de courriel",
                                                   "adres e-mail"};
const std::vector<std::string> time_headings = {"submitted", "last modified (submission)"};
// Columns that instructors add: terms for this student that replace those for all.
const std::vector<std::string> due_headings = {"extension", "extended until", "due", "due date"};
const std::vector<std::string> late_days_headings = {"late days", "late_days", "free late days",
                                                     "free_late_days"};
// Further columns of platforms' tables.
const std::set<std::string> ignored_headings = {"",
                                                "section",
                                                "sections",
                                                "role",
                                                "roles",
                                                "group",
                                                "groups",
                                                "department",
                                                "institution",
                                                "status",
                                                "grade",
                                                "maximum grade",
                                                "grade can be changed",
                                                "last modified (grade)",
                                                "feedback comments",
                                                "online text",
                                                "marker",
                                                "marking workflow state",
                                                "github_id",
                                                "last access",
                                                "last downloaded from this course",
                                                "availability",
                                                "child course id",
                                                "root account",
                                                "end-of-line indicator"};

bool is_any_of(const std::string& heading, const std::vector<std::string>& known) {
  return std::ranges::find(known, heading) != known.end();
}

bool is_gradebook_of_canvas(const Table& table) {
  return table.has("student") && table.has("sis login id");
}

void demand_known_columns(const Table& table, const std::string& file) {
  std::vector<std::string> unknown;
  for (const std::string& heading : table.headings) {
    // In Canvas' table all graded columns follow the section; Blackboard marks its graded columns.
    if (heading == "section" && is_gradebook_of_canvas(table)) break;
    if (heading.find("[total pts") != heading.npos) continue;
    const bool is_known = ignored_headings.contains(heading) || is_any_of(heading, name_headings) ||
                          is_any_of(heading, first_name_headings) ||
                          is_any_of(heading, last_name_headings) ||
                          is_any_of(heading, id_headings) || is_any_of(heading, address_headings) ||
                          is_any_of(heading, time_headings) || is_any_of(heading, due_headings) ||
                          is_any_of(heading, late_days_headings);
    if (!is_known) unknown.push_back(printable(heading));
  }
  if (unknown.empty()) return;
  throw CannotGrade(fmt::format(
      "{}: nobody knows what {} {} in a roster: remove it, or call it name, first name, "
      "last name, id, username, email, submitted, extension or late_days",
      file, fmt::join(unknown, " and "), unknown.size() > 1 ? "are" : "is"));
}

/// Returns the cell of the first of these columns that is not empty.
std::string first_of(const TableRow& row, const std::vector<std::string>& headings) {
  for (const std::string& heading : headings) {
    if (std::string cell = row[heading]; !cell.empty()) return cell;
  }
  return "";
}

/// Returns the time in the first of these columns that has one.
std::optional<std::time_t> time_in(const TableRow& row, const std::vector<std::string>& headings,
                                   DayMeans day, const std::string& where) {
  const std::string text = first_of(row, headings);
  if (text.empty() || text == "-") return std::nullopt;
  const auto time = parse_time(text, day);
  if (time) return time;
  throw CannotGrade(
      fmt::format("{}: {} is no time: write it as 2026-11-20 23:59", where, printable(text)));
}

/// Whether a row is no student's, but the platform's own or one of the staff.
bool is_nobody(const TableRow& row) {
  const std::string role = in_lower_case(row["role"]);
  // Canvas has such a row for assignments that somebody posts by hand.
  const bool is_of_no_student =
      row["student"].empty() && row.cells.contains("sis login id") && row["id"].empty();
  return is_of_no_student || row["student"] == "Points Possible" ||
         row["student"] == "Student, Test" || (!role.empty() && role != "student");
}

Student student_of(const TableRow& row, const std::string& where) {
  Student student;
  student.cells = row.cells;
  student.name = first_of(row, name_headings);
  if (student.name.empty()) {
    const std::string first = first_of(row, first_name_headings),
                      last = first_of(row, last_name_headings);
    student.name = first + (first.empty() || last.empty() ? "" : " ") + last;
  }
  student.email = first_of(row, address_headings);
  for (const std::string& heading : id_headings) {
    std::string id = row[heading];
    if (id.starts_with('#')) id.erase(0, 1);  // Brightspace writes it
    if (id.empty()) continue;
    if (student.id.empty()) student.id = id;
    student.ids.push_back(id);
    // Moodle writes "Participant 123" in the site's language, but its folders have only the number.
    const std::size_t blank = id.rfind(' ');
    if (heading == "identifier" && blank != id.npos) student.ids.push_back(id.substr(blank + 1));
  }
  if (!student.email.empty()) student.ids.push_back(student.email);
  if (student.name.empty()) student.name = student.id.empty() ? student.email : student.id;
  if (student.name.empty()) throw CannotGrade(where + ": the row has neither a name nor an id");
  student.at.time = time_in(row, time_headings, DayMeans::its_beginning, where);
  if (student.at.time) student.at.said_by = "the roster";
  student.due = time_in(row, due_headings, DayMeans::its_end, where);
  if (const std::string days = first_of(row, late_days_headings); !days.empty()) {
    student.free_late_days = parse_late_days(days);
    if (!student.free_late_days) {
      throw CannotGrade(fmt::format("{}: {} is no number of late days from 0 to {}", where,
                                    printable(days), most_free_late_days));
    }
  }
  return student;
}

/// Returns the words of a name, without case, accents, commas and dots.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words = {""};
  for (const char c : in_plain_letters(name)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80) {
      words.back() += c;
    } else if (c != '\'' && !words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Joins the words in sorted order, because some platforms begin with the last name.
std::string without_order(std::vector<std::string> words) {
  std::ranges::sort(words);
  return fmt::format("{}", fmt::join(words, " "));
}

void add(std::vector<std::size_t>& students, std::size_t student) {
  if (std::ranges::find(students, student) == students.end()) students.push_back(student);
}

}  // namespace

Roster::Roster(const fs::path& file) {
  const Table table = read_table(file);
  const std::string name = printable(file.string());
  demand_known_columns(table, name);
  std::map<std::string, int> lines;
  for (const TableRow& row : table.rows) {
    if (is_nobody(row)) continue;
    students_.push_back(student_of(row, fmt::format("{}:{}", name, row.line)));
    const Student& student = students_.back();
    std::set<std::string> own;
    for (const std::string& id : student.ids) own.insert(in_lower_case(id));
    if (own.empty()) own.insert("name " + without_order(words_of(student.name)));
    for (const std::string& key : own) {
      if (const auto [first, is_new] = lines.emplace(key, row.line); !is_new) {
        throw CannotGrade(fmt::format("{}:{}: {} stands in line {} already", name, row.line,
                                      printable(key), first->second));
      }
    }
  }
  if (students_.empty()) throw CannotGrade(name + " names no students");
  index();  // by the names that students share, and below by the names that tell them apart
  std::map<std::string, int> with_name;
  for (const Student& student : students_) ++with_name[student.name];
  for (Student& student : students_) {
    if (with_name[student.name] > 1) {
      student.name += fmt::format(" ({})", student.id.empty() ? student.email : student.id);
    }
  }
  index();
}

Roster::Roster(std::vector<Student> students) : students_(std::move(students)) { index(); }

void Roster::index() {
  for (std::size_t i = 0; i < students_.size(); ++i) {
    for (const std::string& id : students_[i].ids) add(by_id_[in_lower_case(id)], i);
    std::vector<std::string> words = words_of(students_[i].name);
    add(by_name_[in_lower_case(students_[i].name)], i);
    add(by_name_[without_order(words)], i);
    for (std::size_t turn = 0; turn < words.size(); ++turn) {
      add(by_name_[fmt::format("{}", fmt::join(words, ""))], i);
      std::rotate(words.begin(), words.begin() + 1, words.end());
    }
  }
}

std::vector<std::size_t> Roster::find(const Person& person) const {
  const auto in = [](const Index& index, const std::string& key) {
    const auto found = index.find(key);
    return found == index.end() ? std::vector<std::size_t>() : found->second;
  };
  std::vector<std::string> keys = person.ids;
  keys.push_back(person.name);
  // The keys are also parts of names such as "assignment-login" of GitHub Classroom, "Doe,
  // Jane(login)" of Sakai, "Doe, Jane <address>" of mail, and "Group A-Doe Jane".
  for (std::size_t at = person.name.find('-'); at != person.name.npos;
       at = person.name.find('-', at + 1)) {
    keys.push_back(person.name.substr(at + 1));
  }
  if (const std::size_t open = person.name.find_last_of("(<"); open != person.name.npos) {
    const std::string inside = person.name.substr(open + 1);
    keys.push_back(inside.substr(0, inside.find_first_of(")>")));
    keys.push_back(person.name.substr(0, open));
  }
  for (const std::string& key : keys) {
    if (auto found = in(by_id_, in_lower_case(key)); !found.empty()) return found;
  }
  for (auto key = keys.begin() + std::ssize(person.ids); key != keys.end(); ++key) {
    if (auto found = in(by_name_, in_lower_case(*key)); !found.empty()) return found;
    if (auto found = in(by_name_, without_order(words_of(*key))); !found.empty()) return found;
  }
  return {};
}

std::size_t Roster::demand(const std::string& word, const std::string& where) const {
  const std::vector<std::size_t> found = find({word, {}});
  if (found.size() == 1) return found.front();
  throw CannotGrade(found.empty()
                        ? fmt::format("{}: there is no student {}", where, printable(word))
                        : fmt::format("{}: {} students are called {}: write an id or an address",
                                      where, found.size(), printable(word)));
}

Roster Roster::renamed(const std::vector<std::string>& names) const {
  std::vector<Student> others;
  for (std::size_t i = 0; i < students_.size(); ++i) {
    others.push_back({.name = names[i],
                      .at = students_[i].at,
                      .due = students_[i].due,
                      .free_late_days = students_[i].free_late_days});
  }
  return Roster(std::move(others));
}

namespace {

/// Adds what a later entry holds to an earlier one.
void add_to(CohortEntry& first, const CohortEntry& second) {
  first.sources.insert(first.sources.end(), second.sources.begin(), second.sources.end());
  first.notes.insert(first.notes.end(), second.notes.begin(), second.notes.end());
  first.notes.push_back(fmt::format("with what is called {}", second.name));
  first.at.marked_late |= second.at.marked_late;
  if (second.at.time > first.at.time) first.at = second.at;
}

}  // namespace

Roster settle_students(std::vector<CohortEntry>& entries, const fs::path& file) {
  if (file.empty()) {
    std::vector<Student> students;
    for (CohortEntry& entry : entries) {
      entry.students = {students.size()};
      Student student{.name = entry.name};
      for (const Person& person : entry.people) {
        student.ids.insert(student.ids.end(), person.ids.begin(), person.ids.end());
      }
      students.push_back(std::move(student));
    }
    return Roster(std::move(students));
  }
  Roster roster(file);
  std::vector<CohortEntry> settled;
  std::map<std::size_t, std::size_t> settled_of;  // by student
  for (CohortEntry& entry : entries) {
    for (const Person& person : entry.people) {
      const std::vector<std::size_t> found = roster.find(person);
      if (found.size() == 1) {
        add(entry.students, found.front());
      } else if (found.empty()) {
        entry.notes.push_back(fmt::format("{} is not on the roster", person.name));
      } else {
        entry.notes.push_back(
            fmt::format("{} may be any of {} on the roster", person.name, found.size()));
      }
    }
    const auto known = std::ranges::find_if(
        entry.students, [&](std::size_t student) { return settled_of.contains(student); });
    if (known == entry.students.end()) {
      for (const std::size_t student : entry.students) settled_of[student] = settled.size();
      settled.push_back(std::move(entry));
      continue;
    }
    CohortEntry& same = settled[settled_of[*known]];
    if (same.students != entry.students) {
      throw CannotGrade(fmt::format("{} and {} are both of one student: keep one of them",
                                    printable(same.name), printable(entry.name)));
    }
    add_to(same, entry);
  }
  entries = std::move(settled);
  for (CohortEntry& entry : entries) {
    for (const std::size_t student : entry.students) {
      if (roster[student].at.time) entry.at = roster[student].at;
    }
  }
  return roster;
}

Pseudonyms::Pseudonyms(fs::path file) : file_(std::move(file)) {
  std::error_code error;
  if (!fs::exists(file_, error)) return;
  for (const TableRow& row : read_table(file_).rows) {
    const std::string pseudonym = row["pseudonym"], name = row["name"];
    const bool is_new = !pseudonym.empty() && taken_.insert(pseudonym).second;
    if (!is_new || name.empty() || !of_name_.emplace(name, pseudonym).second) {
      throw CannotGrade(
          fmt::format("{}:{}: a row has a pseudonym and a name, each of which stands there once",
                      printable(file_.string()), row.line));
    }
  }
}

std::string Pseudonyms::of(const std::string& name) {
  // The key is written as in the file, where no cell may be a formula.
  const bool is_like_a_formula = name.find_first_of("=+-@") == 0;
  const std::string key = (is_like_a_formula ? "'" : "") + first_line(name);
  if (const auto known = of_name_.find(key); known != of_name_.end()) return known->second;
  std::random_device random;
  std::string pseudonym;
  do {
    pseudonym = fmt::format("s{:07x}", random() & 0xFFFFFFF);
  } while (!taken_.insert(pseudonym).second);
  of_name_.emplace(key, pseudonym);
  return pseudonym;
}

void Pseudonyms::write() const {
  std::string text = byte_order_mark + csv_row({"pseudonym", "name"});
  for (const auto& [name, pseudonym] : of_name_) text += csv_row({pseudonym, name});
  write_whole(file_, text);
  std::error_code ignored;  // some file systems have no permissions
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write, ignored);
}

}  // namespace tilewise::grading
