#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::grading {

/// The tools that split kernels at their barriers (common/simt/split): an LLVM pass, and the clang
/// that loads it.
struct SplitTools {
  std::vector<std::string> compiler;
  std::filesystem::path pass;
};

/// Returns the tools, or nothing if this build has no pass, no clang of its version is installed,
/// or CXX asks for another compiler.
std::optional<SplitTools> split_tools();

/// The environment variable that names the pass's report file.
inline constexpr const char* split_report_variable = "TILEWISE_SPLIT_REPORT";

/// The result of splitting a kernel.
struct SplitNote {
  std::string kernel;
  std::string why_not;  ///< why it was not split; empty if it was
};

/// Reads the pass's report.
/// @param report  the file that the pass wrote, with a line for each kernel
std::vector<SplitNote> read_split_report(const std::filesystem::path& report);

/// Returns "tilewise: 2 of 3 kernels are split at their barriers", and a line for each kernel that
/// is not split.
std::string in_words(const std::vector<SplitNote>& kernels);

}  // namespace tilewise::grading
