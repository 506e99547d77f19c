#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// Says what the CUDA Toolkit has under a name, such as "a header of CUDA's" or "a function of
/// CUDA's run-time"; empty where it has nothing of that name. Uses the list
/// common/simt/cuda_names.json, which docs/cuda_names.py makes from the toolkit's headers.
std::string kind_of_cuda_name(std::string_view name);

/// Returns the toolkit version of that list, "13.0"; empty where the list is missing.
std::string listed_toolkit();

/// Returns the CUDA name that a compiler does not know, from its output: "cuda_fp16.h",
/// "cudaMallocManaged", "cooperative_groups::grid_group::sync". A name that only looks like one of
/// CUDA's is returned, too. Empty where there is none.
std::string unknown_cuda_name(std::string_view compiler_output);

}  // namespace tilewise::grading
