#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// Folders whose whereabouts are nobody's business.
struct KnownPlaces {
  std::filesystem::path course;                        ///< shown as if it were the current folder
  std::vector<std::filesystem::path> private_folders;  ///< shown as "..."
};

/// Those of this process: the course, the folder of its executable, the home folder, the current
/// one and that for temporary files; each also as it is called where links are resolved.
KnownPlaces places_of_this_process();

/// A text without the whereabouts of files on the machine that grades: of an absolute path below
/// the course, what comes after the course; of any other, unless it is of the system's own folders
/// such as /usr, its last part: ".../matmul_shared.o".
std::string without_places(std::string_view text, const KnownPlaces& known);

/// The same with the places of this process.
std::string without_places(std::string_view text);

}  // namespace tilewise::grading
