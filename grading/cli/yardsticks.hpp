#pragma once

#include <string>
#include <vector>

#include "grading/builder/builder.hpp"

namespace tilewise::grading {

/// What a stage's functions are timed beside on a GPU, apart from the solution:
/// grading/yardsticks/NAME/STAGE.
struct Yardstick {
  std::string name;  ///< "cublas" or "copy"
  bool uses_cublas = false;
};

/// Those that the stage has.
std::vector<Yardstick> yardsticks_of(const std::string& stage_id);

/// How to build one; the scratch folder is left to choose.
BuildRequest yardstick_build(const Yardstick& yardstick, const std::string& stage_id);

}  // namespace tilewise::grading
