#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

/// What the compiler finds odd in sources that compile, as far as it may be why a result is wrong:
/// a variable that is read before it is set, a value that is computed and not used. One line each:
/// "labs/02_multi_block_grid/matmul_grid.cu:17: 'sum' is used uninitialized". Empty where this
/// build has no simulator. Runs the compiler without a sandbox: for a learner's own files.
/// @param folder that holds the stage's sources
/// @throws Interrupted
std::vector<std::string> compiler_warnings(const std::string& stage_id,
                                           const std::filesystem::path& folder);

}  // namespace tilewise::grading
