#pragma once

#include <set>
#include <string>
#include <vector>

#include "grading/builder/judged_objects.hpp"

namespace tilewise::grading {

/// What the references among all functions and variables of a submission tell of its kernels.
struct KernelReach {
  std::vector<std::vector<std::string>> device_sections;  ///< as in ObjectVerdict
  std::vector<std::string> host_functions;                ///< as in ObjectVerdict
};

/// Follows these references. Finds launches by another way than `<<<>>>`, kernels that reach
/// something that no GPU has, and calls in kernels that load or store unseen.
KernelReach judge_reach(Objects& objects, std::set<ObjectProblem>& problems);

}  // namespace tilewise::grading
