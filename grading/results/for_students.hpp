#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// Makes a text safe for a student to read, since it may name files, quote code or repeat what a
/// program has printed. It applies without_places() and printable(), and keeps at most
/// `most_bytes`.
std::string for_students(std::string_view text, std::size_t most_bytes);

/// Does this for all texts of a result. It comes before every emitter, since students may see the
/// output of any of them.
TestResult for_students(TestResult test);

/// The longest message of a test: compiler output, cut to a screenful, plus a few sentences.
inline constexpr std::size_t longest_message_bytes = 8000;

/// Returns the finding of a test in lines: where, what happened, "Hint: " and what to do next. It
/// is empty if there is no finding. The text is not escaped, and a student may have influenced it.
std::string feedback(const TestResult& test);

/// Returns a hidden test as students may see it: with its category, how it ended and its points.
/// @param number  its number among the hidden tests of its stage
TestResult without_secrets(const TestResult& test, int number);

/// Returns the result as students may see it: hidden tests have no names, inputs or findings.
GradeResult without_hidden(GradeResult grade);
StageResult without_hidden(StageResult stage);

/// Folders whose location must not be revealed.
struct KnownPlaces {
  std::filesystem::path course;                        ///< shown as if it were the current folder
  std::vector<std::filesystem::path> private_folders;  ///< shown as "..."
};

/// Returns the places of this process: the course, the folder above that of its executable, the
/// home folder, the current folder and the one for temporary files.
KnownPlaces places_of_this_process();

/// Removes from a text the location of files on the machine that grades. An absolute path below the
/// course keeps what comes after the course. Any other path keeps only its last part, as in
/// ".../matmul_shared.o", unless it is in a system folder such as /usr. Known folders are also
/// recognised by their names with links resolved.
std::string without_places(std::string_view text, const KnownPlaces& known);

/// Does the same with the places of this process.
std::string without_places(std::string_view text);

}  // namespace tilewise::grading
