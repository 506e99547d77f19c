#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grading/builder/local_access.hpp"

namespace tilewise::grading {

/// The linker's names of functions that a launch runs begin with this
/// (common/simt/include/tilewise/launch.hpp).
inline constexpr std::string_view kernel_entry = "_ZN8tilewise4simt10run_threadI";

/// A load or store without a report. It is either a call that passes or returns a structure that
/// lies in memory, because g++ makes assignments report themselves but not calls; or an access to a
/// local variable with an index that nothing bounds, because such accesses report nothing unless
/// somebody else has the variable's address.
struct UnseenCall {
  std::string function;  ///< the function that makes it, by its linker name
  std::string file;      ///< the file it stands in; may be a header
  int line;
  std::string callee;  ///< by the compiler's name; empty for an access
  /// The name that it passes or stores to. If it is the name of a function rather than a variable,
  /// it does no harm. Empty where the call is surely unseen.
  std::string operand = {};
};

/// Reads g++'s dump of -fdump-tree-optimized-lineno.
std::vector<UnseenCall> unseen_calls_in(std::string_view dump);

/// Reads g++'s dump of -fdump-tree-tsan-lineno, which shows accesses as they are when the sanitizer
/// decides which of them report themselves.
std::vector<UnseenCall> unbounded_accesses_in(std::string_view dump, const KernelTypes& types);

/// Convert calls to and from the text that is stored beside an object.
std::string to_text(const std::vector<UnseenCall>& calls);
std::vector<UnseenCall> from_text(std::string_view text);

}  // namespace tilewise::grading
