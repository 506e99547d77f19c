/// \file
/// What learning platforms call the things that students have handed in. Another platform is one
/// function more.
#pragma once

#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::grading {

/// When something was handed in, and who says so. A file's own date is nobody's word.
struct HandedInAt {
  std::optional<std::time_t> time = std::nullopt;
  std::string said_by = {};  ///< "Gradescope", "its Git commit"; empty: nobody
  bool marked_late = false;  ///< by the platform, without saying how late
};

/// Somebody as a platform knows them.
struct Person {
  std::string name;
  std::vector<std::string> ids = {};  ///< numbers, addresses, logins
};

/// What a platform's name for something that was handed in tells.
struct Delivered {
  std::vector<Person> people;  ///< one, or a group's
  std::string id = {};         ///< tells students of one name apart; empty: there is none
  std::string file = {};       ///< as its owner called it; empty where it is a folder
  int attempt = 0;             ///< at this file: the last counts
  HandedInAt at = {};
  bool is_whole =
      false;  ///< all of an attempt has its time: what has an earlier one does not count
};

/// Known are Moodle ("Doe Jane_123_assignsubmission_file_"), Canvas
/// ("doejane_LATE_123_456_matmul_shared-1.cu"), Blackboard
/// ("Lab 3_doej_attempt_2026-11-20-23-59-00_matmul_shared.cu"), Brightspace ("123-456 - Jane Doe -
/// Nov 20, 2026 1159 PM"), ILIAS ("Doe_Jane_doej_345") and Google Classroom ("Jane Doe -
/// matmul_shared.cu"); otherwise a folder or an archive is called as its student is, and a source
/// of a stage begins or ends so.
/// @param title  as title_at_blackboard() tells it
Delivered delivered_as(const std::string& name, bool is_folder, const std::string& title = "");

/// What all of a class begins with that Blackboard delivers: "Lab 3_". It tells logins that hold an
/// underscore from the end of the assignment's title; empty where nothing does.
std::string title_at_blackboard(const std::vector<std::filesystem::path>& items);

/// What Gradescope puts beside the folders that it exports.
inline constexpr const char* gradescope_metadata = "submission_metadata.yml";

/// Of that: who handed in each folder, and when.
std::map<std::string, Delivered> delivered_by_gradescope(const std::filesystem::path& metadata);

/// Of a clone of a repository, when its last commit was made; by the clock of whoever made it.
/// Nothing of the clone's is run or believed but its objects.
HandedInAt committed_at(const std::filesystem::path& clone);

/// What systems and platforms leave beside what students hand in.
bool is_nobodys(const std::string& name);

}  // namespace tilewise::grading
