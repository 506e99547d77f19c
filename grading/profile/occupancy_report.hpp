#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/model/occupancy.hpp"

namespace tilewise::grading {

/// The launch that `lab occupancy` is asked about.
struct OccupancyQuestion {
  std::array<int, 2> block = {1, 1};    ///< threads along x and y; their product must fit an int
  std::array<int, 2> results = {1, 1};  ///< results of a thread, along x and y
  int registers_per_thread = 0;         ///< 0: not known
  std::size_t shared_bytes_per_block = 0;
  /// Blocks of the grid; nothing: more than a GPU holds at a time.
  std::optional<std::uint64_t> blocks = {};
};

/// The smallest n x n result that gives every SM all the blocks it can hold.
struct Saturation {
  std::uint64_t n = 0;
  std::uint64_t blocks_along_x = 0;
  std::uint64_t blocks_along_y = 0;
  std::uint64_t blocks_wanted = 0;  ///< SMs times the blocks resident on each
};

struct OccupancyOnGpu {
  core::GpuProfile gpu;
  model::Occupancy occupancy;
  std::optional<model::LaunchNeeds> one_block_more;  ///< model::for_one_block_more()
  std::optional<Saturation> saturation;              ///< nothing if the launch cannot run
};

/// The answer of `lab occupancy`.
struct OccupancyReport {
  OccupancyQuestion question;
  model::LaunchNeeds launch;
  std::vector<OccupancyOnGpu> gpus;
};

/// Returns the occupancy of a launch on each of the GPUs. The order that saturates a GPU holds for
/// kernels in which each block computes its own (block x * results x) columns by (block y * results
/// y) rows of C. The blocks may be square or not, and a thread's results may be adjacent or
/// strided.
OccupancyReport occupancy_report(const OccupancyQuestion& question,
                                 const std::vector<core::GpuProfile>& gpus);

/// Returns the report in the schema tilewise/occupancy/v1. Values that are unlimited or not known
/// are null.
nlohmann::ordered_json occupancy_document(const OccupancyReport& report);

/// Returns the report as text: in full for one GPU, with one line each for several.
std::string occupancy_table(const OccupancyReport& report);

}  // namespace tilewise::grading
