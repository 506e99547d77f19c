#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// How all submissions of a cohort are graded. The settings are kept beside the results, so that a
/// run that was stopped continues in the same way.
struct CohortSettings {
  std::vector<std::string> stages;  ///< ids
  std::string backend;              ///< "simt" or "cuda"
  std::string gpu;                  ///< profile that the simulator models
  std::uint64_t seed = 0;           ///< of the cohort; each submission's seed follows from it
  bool pseudonyms = false;          ///< whether students go by pseudonyms

  bool operator==(const CohortSettings&) const = default;
};

/// Returns "Stages 03_shared_memory; backend simt, gtx1080; seed 17".
std::string in_words(const CohortSettings& settings);

/// Returns the seed from which a submission's inputs are drawn.
std::uint64_t seed_for(const CohortSettings& settings, const std::string& name);

/// Returns the settings of the run that wrote a folder, if there was one.
/// @throws CannotGrade if its file was damaged
std::optional<CohortSettings> find_settings(const std::filesystem::path& out);

/// Returns the settings for a run into a folder: `wanted` for a new run, which it writes down, or
/// `wanted` with the seed of the earlier run that is continued.
/// @throws CannotGrade if the earlier run had other stages, another backend or GPU, or differed in
///         its use of pseudonyms
CohortSettings settle(const std::filesystem::path& out, CohortSettings wanted);

/// The outcome of one submission: a result, or why there is none.
struct GradedSubmission {
  std::optional<GradeResult> result;
  std::string problem;
};

/// Returns the name for a student's files. This is the student's name or, if that is no valid name
/// for a file or leaves no room for what is added to it, its beginning and a number of its own.
std::string file_name_of(const std::string& name);

/// The folder that a cohort's run writes to:
///
///     cohort.json               how it is graded
///     submissions/NAME/labs     what was taken from each, in the layout that JPlag reads
///     submissions/NAME/origins  which files those were
///     results/NAME.json         tilewise/result/v1, or NAME.problem: why there is none
///     seconds/NAME              how long grading took
///     slurm/                    which submissions are which jobs, and what those print
///
/// A submission is done once its file is in results/, where it appears complete. NAME is what
/// file_name_of() makes of the student's name.
class Ledger {
 public:
  /// Makes the folders.
  /// @throws CannotGrade if they cannot be made
  explicit Ledger(std::filesystem::path out);

  const std::filesystem::path& folder() const { return out_; }
  std::filesystem::path submission(const std::string& name) const;

  bool is_done(const std::string& name) const;

  /// Removes a submission's outcome, so that it is graded anew.
  /// @throws CannotGrade if the outcome cannot be removed
  void forget(const std::string& name) const;

  /// Writes down the outcome of a submission, its result last.
  /// @throws CannotGrade if that cannot be written
  void enter(const std::string& name, const GradedSubmission& graded, double seconds) const;

  /// Returns the outcome of a submission that is done.
  /// @throws CannotGrade if its file was damaged
  GradedSubmission read(const std::string& name) const;
  double seconds(const std::string& name) const;

 private:
  std::filesystem::path result_file(const std::string& name) const;
  std::filesystem::path problem_file(const std::string& name) const;

  std::filesystem::path out_;
};

}  // namespace tilewise::grading
