#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grading/builder/local_access.hpp"

namespace tilewise::grading {

/// What the linker calls functions that a launch runs (common/simt/include/tilewise/launch.hpp).
inline constexpr std::string_view kernel_entry = "_ZN8tilewise4simt10run_threadI";

/// What loads or stores without a report. A call that passes or returns a structure that lies in
/// memory: g++ has assignments report themselves, and no calls. Or an access to a local variable,
/// which reports nothing where nobody else has its address, with an index that nothing bounds.
struct UnseenCall {
  std::string function;  ///< that makes it, by the linker's name
  std::string file;      ///< where it stands; may be a header
  int line;
  std::string callee;  ///< as the compiler calls it; empty for an access
  /// A name that it passes, or that it stores to: of a variable, or of a function, which does no
  /// harm. Empty where there is no doubt.
  std::string operand = {};
};

/// Reads what g++ writes by -fdump-tree-optimized-lineno.
std::vector<UnseenCall> unseen_calls_in(std::string_view dump);

/// Reads what g++ writes by -fdump-tree-tsan-lineno: accesses as they are when the sanitizer
/// decides which of them report themselves.
std::vector<UnseenCall> unbounded_accesses_in(std::string_view dump, const KernelTypes& types);

/// For keeping them beside an object.
std::string to_text(const std::vector<UnseenCall>& calls);
std::vector<UnseenCall> from_text(std::string_view text);

}  // namespace tilewise::grading
