#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::grading {

/// How all submissions of a cohort are graded. Kept beside the results, so that a run that was
/// stopped goes on in the same way.
struct CohortSettings {
  std::vector<std::string> stages;  ///< ids
  std::string backend;              ///< "simt" or "cuda"
  std::string gpu;                  ///< profile that the simulator models
  std::uint64_t seed = 0;           ///< of the cohort; each submission has one that follows from it

  bool operator==(const CohortSettings&) const = default;
};

/// The seed that a submission's inputs are drawn from.
std::uint64_t seed_for(const CohortSettings& settings, const std::string& name);

/// Those of the run that a folder is of, if it is of one.
/// @throws CannotGrade where its file was damaged
std::optional<CohortSettings> find_settings(const std::filesystem::path& out);

/// Settings for a run into a folder: `wanted` for a new run, with the seed of an earlier one that
/// goes on.
/// @throws CannotGrade where the earlier run was of other stages, or for another backend or GPU
CohortSettings settle(const std::filesystem::path& out, CohortSettings wanted);

}  // namespace tilewise::grading
