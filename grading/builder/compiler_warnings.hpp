#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/finding.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {

using core::Finding;

/// Returns the compiler's warnings about sources that compile, as far as they may explain a wrong
/// result: a variable that is read before it is set, a value that is computed and not used. Each
/// takes one line: "labs/02_multi_block_grid/matmul_grid.cu:17: 'sum' is used uninitialized". Empty
/// where this build has no simulator. Runs the compiler without a sandbox, and so is for a
/// learner's own files.
/// @param folder the folder of the stage's sources
/// @throws Interrupted
std::vector<std::string> compiler_warnings(const std::string& stage_id,
                                           const std::filesystem::path& folder);

/// A remark on why something may be wrong, and where.
struct SourceDoubt {
  Finding finding;
  std::vector<std::string> innocent;  ///< host functions that do not come to its line
};

/// Remarks on sources that compile but may not do what is meant; see simt::Remark.
struct SourceRemarks {
  /// What costs no points, one remark of a kind: "labs/...:17: row * n is an int, ...".
  std::vector<std::string> costless;
  std::vector<SourceDoubt> doubts;  ///< why a result may be wrong
  /// Statements that do something else than they seem to, which may be why anything fails.
  std::vector<SourceDoubt> statements;
  Finding freed;  ///< where an argument is freed: only the place; line 0: nowhere
};

/// Returns remarks on a stage's sources, judging by their tokens alone; no compiler need have seen
/// them.
/// @param folder the folder of the sources
SourceRemarks source_remarks(const StageInfo& stage, const std::filesystem::path& folder);

}  // namespace tilewise::grading
