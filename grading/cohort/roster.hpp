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
  std::string name;                   ///< no two students have the same
  std::string id = {}, email = {};    ///< as shown; empty if unknown
  std::vector<std::string> ids = {};  ///< everything but the name that identifies the student
  HandedInAt at = {};                 ///< if the roster says when
  std::optional<std::time_t> due = std::nullopt;     ///< an extension, if the roster has one
  std::optional<int> free_late_days = std::nullopt;  ///< likewise
  std::map<std::string, std::string> cells = {};     ///< in the roster, by headings in lower case
};

/// The students of a class, as a platform exports them: the gradebook of Canvas, participants or
/// the grading worksheet of Moodle, the roster of Gradescope, GitHub Classroom or Classroom 50, or
/// any table with a column of names and one of numbers, logins or addresses.
class Roster {
 public:
  Roster() = default;
  /// @throws CannotGrade naming unknown columns, rows without a name or number, or those that are
  ///         there twice
  explicit Roster(const std::filesystem::path& file);
  explicit Roster(std::vector<Student> students);

  const std::vector<Student>& students() const { return students_; }
  const Student& operator[](std::size_t student) const { return students_[student]; }

  /// Returns the students with that name or any of these numbers: none, one, or several who may be
  /// meant. A number counts before the name; "Doe, Jane", "Jane Doe" and "doejane" are the same
  /// name.
  std::vector<std::size_t> find(const Person& person) const;

  /// Returns the one student whom a line of a file names.
  /// @param where  that line
  /// @throws CannotGrade if there is none, or more than one
  std::size_t demand(const std::string& word, const std::string& where) const;

  /// Returns the same students with other names, without anything else that tells who they are.
  Roster renamed(const std::vector<std::string>& names) const;

 private:
  using Index = std::map<std::string, std::vector<std::size_t>>;

  void index();

  std::vector<Student> students_;
  Index by_id_, by_name_;
};

/// Finds the owners of each submission, which become CohortEntry::students, and merges what one
/// student has handed in under several names. Without a roster, all who have handed in form one.
/// @param file  the roster; may be empty
/// @throws CannotGrade as Roster does, and if a student has handed in with two groups
Roster settle_students(std::vector<CohortEntry>& entries, const std::filesystem::path& file);

/// The only file that tells whose a pseudonym is. A name keeps its pseudonym from run to run.
class Pseudonyms {
 public:
  /// @param file  a table of pseudonyms and names, which need not be there yet
  /// @throws CannotGrade if it cannot be read
  explicit Pseudonyms(std::filesystem::path file);

  /// Returns the pseudonym of a name; a name without one gets a new one, which is random.
  std::string of(const std::string& name);

  /// Writes the file so that only its owner may read it.
  /// @throws CannotGrade if it cannot be written
  void write() const;

 private:
  std::filesystem::path file_;
  std::map<std::string, std::string> of_name_;
  std::set<std::string> taken_;
};

}  // namespace tilewise::grading
