#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// The number of lines of C++ that hold more than blanks and comments.
int count_code_lines(std::string_view text);

struct MarkerError {
  int line;  ///< 1-based
  std::string message;
};

struct Skeleton {
  std::string text;  ///< meaningless if there are errors
  std::vector<MarkerError> errors;
};

/// The file that a student starts from: the solution, in which every block
///
///     // lab: begin <what to write>
///     ...
///     // lab: end
///
/// becomes the one line `// TODO(lab): <what to write> (N lines)`, indented like the block's first
/// marker. N counts the dropped lines that hold code. All other bytes stay.
Skeleton skeleton_of(std::string_view solution);

/// The numbers of the lines of a submitted source that come from the skeleton: those that occur
/// equally often in both, apart from blanks at their ends.
std::set<int> given_lines(std::string_view source, std::string_view skeleton);

/// How the skeletons under labs/ differ from those that the solutions yield.
struct SkeletonReport {
  /// Solutions whose markers are wrong, and files that cannot be read or written: "file:line: ..."
  std::vector<std::string> errors;
  /// Skeletons that are missing, that differ from what their solution yields, or that have no
  /// solution.
  std::vector<std::string> differences;
};

/// Checks, byte for byte, that each solutions/NN_topic/*.cu has its skeleton, and that each
/// labs/NN_topic/*.cu has a solution. `root` is the repository's.
SkeletonReport check_skeletons(const std::filesystem::path& root);

/// Writes the skeleton of every solution whose markers are right. In its report `differences` names
/// the files that were written, and the skeletons that have no solution and were left alone.
SkeletonReport write_skeletons(const std::filesystem::path& root);

}  // namespace tilewise::grading
