#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::grading {

/// What splits kernels at their barriers (common/simt/split): a pass, and the clang that loads it.
struct SplitTools {
  std::vector<std::string> compiler;
  std::filesystem::path pass;
};

/// Empty where this build has no pass, or no clang of its version is installed, or CXX asks for
/// another compiler.
std::optional<SplitTools> split_tools();

/// The variable that tells the pass where to report.
inline constexpr const char* split_report_variable = "TILEWISE_SPLIT_REPORT";

/// What became of a kernel.
struct SplitNote {
  std::string kernel;
  std::string why_not;  ///< it was not split; empty where it was
};

/// @param report  what the pass wrote: a line for each kernel
std::vector<SplitNote> read_split_report(const std::filesystem::path& report);

/// "tilewise: 2 of 3 kernels are split at their barriers", and a line for each of the others.
std::string in_words(const std::vector<SplitNote>& kernels);

}  // namespace tilewise::grading
