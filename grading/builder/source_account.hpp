#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/finding.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {

using core::Finding;

/// What the words of a source tell of a finding's lines.
struct SourceAccount {
  std::string message;  ///< sentences, each with a blank before it; empty: nothing
  std::string hint;     ///< what to do next, where that is plainer now; else empty
  int line = 0;         ///< where the cause stands, if it is another line of the same file

  /// Adds what is known besides, and takes its hint and its line.
  void take(const SourceAccount& more);
};

/// Of a stray access what was used as an index and what was tested before; of an element that
/// nobody wrote where its array is filled, and what decides on that; of a race what both lines
/// access; of a barrier that some threads miss what keeps them from it; of an input that is read at
/// a wrong place where it is read; and of lines in functions that kernels call who calls them.
/// Empty where the build has no simulator.
/// @param source that the finding's file holds or, where it names none, that of the contract
/// function
SourceAccount account_of(const Finding& finding, std::string_view source);

/// Another source of a stage.
struct NamedSource {
  std::string name;
  std::string_view text;
};

/// Of a finding in a source that does not define the function that was called: where the one that
/// does calls what stands in it.
/// @param source that the finding's file holds
SourceAccount account_of_call(const Finding& finding, std::string_view source,
                              const NamedSource& caller);

/// Adds that to a finding.
/// @param folder that holds the stage's sources
void add_account(Finding& finding, const StageInfo& stage, const std::filesystem::path& folder);

}  // namespace tilewise::grading
