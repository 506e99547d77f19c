#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "grading/progress/progress.hpp"
#include "grading/report/result.hpp"

namespace tilewise::grading {

/// Under which circumstances a result came about.
struct Circumstances {
  std::uint64_t seed = 0;
  std::string gpu;       ///< the profile that was modelled
  std::time_t when = 0;  ///< for example std::time(nullptr)
};

/// Records what grading the learner's own kernels found. A stage that was graded alone becomes the
/// current one. Hidden tests leave their points, and nothing else.
void record(Progress& progress, const GradeResult& result, const Circumstances& circumstances);

}  // namespace tilewise::grading
