#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// Number of lines of C++ that hold more than blanks and comments.
int count_code_lines(std::string_view text);

struct MarkerError {
  int line;  ///< 1-based
  std::string message;
};

struct Skeleton {
  std::string text;  ///< meaningless if there are errors
  std::vector<MarkerError> errors;
};

/// What a student starts from: the solution, in which every block
///
///     // lab: begin <what to write>
///     ...
///     // lab: end
///
/// becomes the one line `// TODO(lab): <what to write> (N lines)`, indented as its first marker.
/// N counts the dropped lines that hold code. All other bytes stay.
Skeleton skeleton_of(std::string_view solution);

/// Numbers of the lines of a submitted source that are the skeleton's: those that it has as often,
/// but for blanks at their ends.
std::set<int> given_lines(std::string_view source, std::string_view skeleton);

/// How the skeletons under labs/ compare with what the solutions give.
struct SkeletonReport {
  /// Solutions whose markers are wrong, and files that cannot be read or written: "file:line: ..."
  std::vector<std::string> errors;
  /// Skeletons that are missing, differ from what their solution gives, or have no solution.
  std::vector<std::string> differences;
};

/// Compares byte for byte, both ways: each solutions/NN_topic/*.cu has its skeleton, and each
/// labs/NN_topic/*.cu its solution. `root` is the repository's.
SkeletonReport check_skeletons(const std::filesystem::path& root);

/// Writes the skeleton of every solution whose markers are right; `differences` then names the
/// files that were written, and the skeletons that have no solution and were left alone.
SkeletonReport write_skeletons(const std::filesystem::path& root);

}  // namespace tilewise::grading
