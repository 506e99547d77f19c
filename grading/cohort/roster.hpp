#pragma once

#include <cstddef>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grading/cohort/intake.hpp"
#include "grading/cohort/platforms.hpp"

namespace tilewise::grading {

/// A student of the class.
struct Student {
  std::string name;                   ///< no two have the same
  std::string id = {}, email = {};    ///< as shown; empty: unknown
  std::vector<std::string> ids = {};  ///< all that the student may be called by, beside the name
  HandedInAt at = {};                 ///< if the roster says so
  std::optional<std::time_t> due = std::nullopt;     ///< an extension, if the roster has one
  std::optional<int> free_late_days = std::nullopt;  ///< likewise
  std::map<std::string, std::string> cells = {};     ///< of the roster, by headings in lower case
};

/// The students of a class, as a platform exports them: the gradebook of Canvas, participants or
/// the grading worksheet of Moodle, the roster of Gradescope, GitHub Classroom or Classroom 50, or
/// any table with a column of names and one of numbers, logins or addresses.
class Roster {
 public:
  Roster() = default;
  /// @throws CannotGrade naming the columns that are not known, rows without a name or number, and
  ///         those that are there twice
  explicit Roster(const std::filesystem::path& file);
  explicit Roster(std::vector<Student> students);

  const std::vector<Student>& students() const { return students_; }
  const Student& operator[](std::size_t student) const { return students_[student]; }

  /// Whoever goes by that name, or any of these numbers: nobody, one, or several whom it may be. By
  /// number before name; "Doe, Jane", "Jane Doe" and "doejane" are one name.
  std::vector<std::size_t> find(const Person& person) const;

  /// The one student whom a line of a file names.
  /// @param where  that line
  /// @throws CannotGrade where there is none, or more than one
  std::size_t demand(const std::string& word, const std::string& where) const;

  /// The same students by other names, without anything else that tells who they are.
  Roster renamed(const std::vector<std::string>& names) const;

 private:
  using Index = std::map<std::string, std::vector<std::size_t>>;

  void index();

  std::vector<Student> students_;
  Index by_id_, by_name_;
};

/// Finds out whose each submission is, which becomes CohortEntry::students, and puts together what
/// one student has handed in under several names. Where there is no roster, all who have handed in
/// are one.
/// @param file  the roster; empty: none
/// @throws CannotGrade as Roster, and where a student has handed in with two groups
Roster settle_students(std::vector<CohortEntry>& entries, const std::filesystem::path& file);

/// The one file that tells whose a pseudonym is. A name keeps its pseudonym from run to run.
class Pseudonyms {
 public:
  /// @param file  a table of pseudonyms and names, which need not be there yet
  /// @throws CannotGrade where it cannot be read
  explicit Pseudonyms(std::filesystem::path file);

  /// A new one, which tells nothing, for a name that has none.
  std::string of(const std::string& name);

  /// For nobody's eyes but its owner's.
  /// @throws CannotGrade where it cannot be written
  void write() const;

 private:
  std::filesystem::path file_;
  std::map<std::string, std::string> of_name_;
  std::set<std::string> taken_;
};

}  // namespace tilewise::grading
