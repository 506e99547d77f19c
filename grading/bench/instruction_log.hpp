#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// The metric of Nsight Compute that counts instructions of warps.
inline constexpr const char* instructions_metric = "smsp__inst_executed.sum";

/// That metric for each kernel, in the order of their launches, from a log of `ncu --csv`. Empty
/// where the log has none, as where counters may not be read (ERR_NVGPUCTRPERM).
std::vector<double> instructions_in(std::string_view log);

}  // namespace tilewise::grading
