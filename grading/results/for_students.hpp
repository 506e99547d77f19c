#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// What a student may read of a text that names files, quotes code or repeats what a program has
/// printed: without_places(), printable(), and no more than `most_bytes` of it.
std::string for_students(std::string_view text, std::size_t most_bytes);

/// A result with all its texts so. It comes before every emitter, since any of them may be the one
/// that students see.
TestResult for_students(TestResult test);

/// The longest message that a test has: a compiler's, cut to a screenful, and a few sentences.
inline constexpr std::size_t longest_message_bytes = 8000;

/// What there is to say of a test, in lines: where, what happened, "Hint: " and what to do next.
/// Empty where there is nothing to say. As it came: a student may have had a hand in it.
std::string feedback(const TestResult& test);

/// A hidden test as a student is to see it: its category, how it ended and its points.
/// @param number  of the hidden tests of its stage
TestResult without_secrets(const TestResult& test, int number);

/// What a student is to see: hidden tests without their names, their inputs and what they found.
GradeResult without_hidden(GradeResult grade);
StageResult without_hidden(StageResult stage);

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
