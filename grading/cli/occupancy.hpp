#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"

namespace tilewise::grading {

/// `tilewise occupancy` as asked for on the command line.
struct OccupancyOptions {
  std::vector<std::string> gpus = {core::default_gpu};
  std::string block;                    ///< "16x16"
  std::string results = "1x1";          ///< of a thread
  int registers = 0;                    ///< a thread; 0: not known
  std::size_t shared = 0;               ///< bytes a block
  std::optional<std::uint64_t> blocks;  ///< of the grid
  std::filesystem::path json;           ///< empty: none
};

/// Prints how a launch fills the SMs of GPUs to standard output.
/// @throws CannotGrade where an option makes no sense or no GPU named can run the launch;
/// std::runtime_error for an unknown GPU.
void occupancy(const OccupancyOptions& options);

}  // namespace tilewise::grading
