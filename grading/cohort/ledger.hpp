#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// How all submissions of a cohort are graded. Kept beside the results, so that a run that was
/// stopped goes on in the same way.
struct CohortSettings {
  std::vector<std::string> stages;  ///< ids
  std::string backend;              ///< "simt" or "cuda"
  std::string gpu;                  ///< profile that the simulator models
  std::uint64_t seed = 0;           ///< of the cohort; each submission has one that follows from it
  bool pseudonyms = false;          ///< students go by them

  bool operator==(const CohortSettings&) const = default;
};

/// "Stages 03_shared_memory; backend simt, gtx1080; seed 17"
std::string in_words(const CohortSettings& settings);

/// The seed that a submission's inputs are drawn from.
std::uint64_t seed_for(const CohortSettings& settings, const std::string& name);

/// Those of the run that a folder is of, if it is of one.
/// @throws CannotGrade where its file was damaged
std::optional<CohortSettings> find_settings(const std::filesystem::path& out);

/// Settings for a run into a folder: `wanted` for a new run, with the seed of an earlier one that
/// goes on.
/// @throws CannotGrade where the earlier run was of other stages, or for another backend or GPU
CohortSettings settle(const std::filesystem::path& out, CohortSettings wanted);

/// What came of one submission: a result, or why there is none.
struct GradedSubmission {
  std::optional<GradeResult> result;
  std::string problem;
};

/// What a student's files are called: the name, or the beginning of one that is none of a file or
/// leaves no room for what is added to it, and a number of its own.
std::string file_name_of(const std::string& name);

/// The folder that a cohort's run writes to:
///
///     cohort.json               how it is graded
///     submissions/NAME/labs     what was taken from each, in the layout that JPlag reads
///     submissions/NAME/origins  which files those were
///     results/NAME.json         tilewise/result/v1, or NAME.problem: why there is none
///     seconds/NAME              that grading took
///     slurm/                    which submissions are which jobs, and what those print
///
/// A submission is done once its file is in results/, which appears as a whole. NAME is that of the
/// student, or where it is too long for that file_name_of() it.
class Ledger {
 public:
  /// Makes the folders.
  /// @throws CannotGrade where they cannot be made
  explicit Ledger(std::filesystem::path out);

  const std::filesystem::path& folder() const { return out_; }
  std::filesystem::path submission(const std::string& name) const;

  bool is_done(const std::string& name) const;

  /// Lets a submission be graded anew.
  /// @throws CannotGrade where what is known of it cannot be removed
  void forget(const std::string& name) const;

  /// Writes down what came of a submission, its result last.
  /// @throws CannotGrade where that cannot be written
  void enter(const std::string& name, const GradedSubmission& graded, double seconds) const;

  /// What came of a submission that is done.
  /// @throws CannotGrade where its file was damaged
  GradedSubmission read(const std::string& name) const;
  double seconds(const std::string& name) const;

 private:
  std::filesystem::path result_file(const std::string& name) const;
  std::filesystem::path problem_file(const std::string& name) const;

  std::filesystem::path out_;
};

}  // namespace tilewise::grading
