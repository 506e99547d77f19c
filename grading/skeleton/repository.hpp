#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

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
