#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// Why timings on the GPU in use may be too slow, for messages: "2 other processes use the GPU".
/// Nothing where nvidia-smi is missing or tells of nothing.
/// @param own_processes  that Tilewise has on the GPU itself
std::vector<std::string> gpu_disturbances(std::size_t own_processes);

/// The same from what nvidia-smi prints.
/// @param throttle_reasons  of `--query-gpu=clocks_throttle_reasons.active
///                          --format=csv,noheader`: a mask in hexadecimal
/// @param applications      of `--query-compute-apps=pid --format=csv,noheader`
std::vector<std::string> disturbances_in(std::string_view throttle_reasons,
                                         std::string_view applications, std::size_t own_processes);

}  // namespace tilewise::grading
