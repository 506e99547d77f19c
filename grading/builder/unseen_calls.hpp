#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// What the linker calls functions that a launch runs (common/simt/include/tilewise/launch.hpp).
inline constexpr std::string_view kernel_entry = "_ZN8tilewise4simt10run_threadI";

/// A call that loads what it passes, or stores what it returns, by itself: a structure that lies in
/// memory. g++ has assignments report themselves, and no calls.
struct UnseenCall {
  std::string function;  ///< that makes it, by the linker's name
  std::string file;      ///< where it stands; may be a header
  int line;
  std::string callee;  ///< as the compiler calls it
};

/// Reads what g++ writes by -fdump-tree-optimized-lineno.
std::vector<UnseenCall> unseen_calls_in(std::string_view dump);

/// For keeping them beside an object.
std::string to_text(const std::vector<UnseenCall>& calls);
std::vector<UnseenCall> from_text(std::string_view text);

}  // namespace tilewise::grading
