#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grading/examiner/process/worker.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// Nsight Compute: on PATH, or where CUDA's installer puts it.
std::optional<std::filesystem::path> find_nsight_compute();

/// Instructions of warps that each call takes on the GPU, by its text, as Nsight Compute counts
/// them; they do not depend on the clock, so that each call is made once, untimed. Empty where it
/// does not run or may not read the counters.
/// @param worker runs the module; what watches over it is put in its place
std::map<std::string, double> count_instructions(const std::filesystem::path& nsight_compute,
                                                 WorkerOptions worker,
                                                 const std::vector<NamedCall>& calls,
                                                 const std::filesystem::path& scratch);

}  // namespace tilewise::grading
