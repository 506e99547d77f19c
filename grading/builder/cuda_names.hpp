#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// What the CUDA Toolkit has under a name, as "a header of CUDA's" or "a function of CUDA's
/// run-time"; empty where it has nothing of that name. By the list common/simt/cuda_names.json,
/// which docs/cuda_names.py makes of the toolkit's headers.
std::string kind_of_cuda_name(std::string_view name);

/// The toolkit of that list, "13.0"; empty where the list is missing.
std::string listed_toolkit();

/// The name of CUDA's that a compiler does not know, from what it says: "cuda_fp16.h",
/// "cudaMallocManaged", "cooperative_groups::grid_group::sync". What only looks like one of CUDA's
/// is named, too. Empty where there is none.
std::string unknown_cuda_name(std::string_view compiler_output);

}  // namespace tilewise::grading
