#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/finding.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {

using core::Finding;

/// An explanation of a finding that is read off the source's text.
struct SourceAccount {
  std::string message;  ///< sentences, each with a blank before it; empty: no explanation
  std::string hint;     ///< what to do next, if that is clearer now; otherwise empty
  int line = 0;         ///< the line of the cause, if it is another one of the same file

  /// Appends another account's message, and takes over its hint and its line if it has them.
  void take(const SourceAccount& more);
};

/// Explains a finding from the source: for a stray access, which indices are used and what is
/// tested before; for an element that nobody wrote, where its array is filled, and the conditions
/// on that; for a race, what both lines access; for a barrier that some threads miss, what keeps
/// them from it; for an input that is read at a wrong position, where it is read; and for lines in
/// functions that kernels call, the callers. Empty where the build has no simulator.
/// @param source the source of the finding's file or, where the finding names none, that of the
/// contract function
SourceAccount account_of(const Finding& finding, std::string_view source);

/// A source of a stage with its name.
struct NamedSource {
  std::string name;
  std::string_view text;
};

/// For a finding in a source that does not define the function that was called: says where the
/// source that does define it calls the functions of this one.
/// @param source the source of the finding's file
SourceAccount account_of_call(const Finding& finding, std::string_view source,
                              const NamedSource& caller);

/// Adds these explanations to a finding.
/// @param folder the folder of the stage's sources
void add_account(Finding& finding, const StageInfo& stage, const std::filesystem::path& folder);

}  // namespace tilewise::grading
