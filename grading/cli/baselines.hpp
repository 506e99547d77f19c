#pragma once

#include <string>
#include <vector>

#include "grading/builder/builder.hpp"

namespace tilewise::grading {

/// What a stage's functions are timed beside on a GPU, apart from the solution:
/// grading/stages/ID/baselines/NAME.
struct Baseline {
  std::string name;  ///< "cublas" or "copy"
  bool uses_cublas = false;
};

/// Those that the stage has.
std::vector<Baseline> baselines_of(const std::string& stage_id);

/// How to build one; the scratch folder is left to choose.
BuildRequest baseline_build(const Baseline& baseline, const std::string& stage_id);

}  // namespace tilewise::grading
