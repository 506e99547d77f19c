#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/scratch_directory.hpp"
#include "grading/cohort/intake.hpp"
#include "grading/cohort/ledger.hpp"

namespace tilewise::grading {

/// Puts the sources of a submission into place, whatever a run that was killed left there. Where
/// there is nothing to grade, enters why.
/// @return whether there is something to grade
/// @throws CannotGrade where a file cannot be written
bool prepare(const CohortEntry& entry, const Ledger& ledger);

/// A submission that was prepared, on its way in a process of its own.
class Grading {
 public:
  /// @param ledger  outlives this object
  Grading(std::string name, const CohortSettings& settings, const Ledger& ledger);

  const std::string& name() const { return name_; }

  /// Waits for a moment. Tells whether it has ended.
  /// @throws Interrupted
  bool is_over() { return command_->is_over(); }

  /// Asks it to end, and does not wait for that.
  void ask_to_end() { command_->ask_to_end(); }

  /// Ends it, so that it clears up after itself. Nothing is entered.
  void end();

  /// Waits for its end, and enters what came of it.
  /// @throws Interrupted; CannotGrade where it cannot be written
  void enter();

 private:
  Command command(const CohortSettings& settings) const;
  CohortOutcome outcome_of(const CommandResult& ended) const;
  std::filesystem::path json() const { return scratch_.path() / "result.json"; }

  std::string name_;
  const Ledger& ledger_;
  ScratchDirectory scratch_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::optional<RunningCommand> command_;
};

/// What a student is to read of a result: each test and why it failed, hidden ones by their points
/// alone, and a table of points.
std::string feedback_text(const GradeResult& result);

/// Grades the submissions that are not done yet on this machine, so many at a time, each in a
/// process of its own. Whatever one of them does, the others are graded.
/// @param done  called after each, with its name
/// @throws CannotGrade where results cannot be written; Interrupted
void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const std::string&)>& done);

}  // namespace tilewise::grading
