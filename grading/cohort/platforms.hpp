/// \file
/// Reads the names that learning platforms give to what students have handed in. Another platform
/// needs one more function.
#pragma once

#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::grading {

/// When something was handed in, and who says so. A file's own date does not count.
struct HandedInAt {
  std::optional<std::time_t> time = std::nullopt;
  std::string said_by = {};  ///< such as "Gradescope" or "its Git commit"; empty if nobody does
  bool marked_late = false;  ///< whether the platform marks it late, without saying how late
};

/// A person as a platform knows them.
struct Person {
  std::string name;
  std::vector<std::string> ids = {};  ///< numbers, addresses, logins
};

/// What a platform's name for something that was handed in reveals.
struct Delivered {
  std::vector<Person> people;  ///< one person, or those of a group
  std::string id = {};         ///< tells students of the same name apart; may be empty
  std::string file = {};       ///< the name that its owner gave it; empty for a folder
  int attempt = 0;             ///< number of the attempt at this file; the last one counts
  HandedInAt at = {};
  bool is_whole = false;  ///< whether the time dates a whole attempt; earlier parts do not count
};

/// Reads the names of Moodle ("Doe Jane_123_assignsubmission_file_"), Canvas
/// ("doejane_LATE_123_456_matmul_shared-1.cu"), Blackboard
/// ("Lab 3_doej_attempt_2026-11-20-23-59-00_matmul_shared.cu"), Brightspace
/// ("123-456 - Jane Doe - Nov 20, 2026 1159 PM"), ILIAS ("Doe_Jane_doej_345") and Google Classroom
/// ("Jane Doe - matmul_shared.cu"). Otherwise a folder or an archive has the name of its student,
/// and a stage's source begins or ends with it.
/// @param title  what title_at_blackboard() returns
Delivered delivered_as(const std::string& name, bool is_folder, const std::string& title = "");

/// Returns the beginning that all names from Blackboard share, such as "Lab 3_"; empty if there is
/// none. It separates the assignment's title from logins that contain an underscore.
std::string title_at_blackboard(const std::vector<std::filesystem::path>& items);

/// The file that Gradescope puts beside the folders that it exports.
inline constexpr const char* gradescope_metadata = "submission_metadata.yml";

/// Reads from that file who handed in each folder, and when.
std::map<std::string, Delivered> delivered_by_gradescope(const std::filesystem::path& metadata);

/// Returns when the last commit of a cloned repository was made, by the clock of whoever made it.
/// Nothing from the clone is run, and only its objects are believed.
HandedInAt committed_at(const std::filesystem::path& clone);

/// Whether a name is that of something that systems and platforms leave beside what students hand
/// in.
bool is_nobodys(const std::string& name);

}  // namespace tilewise::grading
