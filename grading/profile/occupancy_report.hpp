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

/// What `lab occupancy` is asked.
struct OccupancyQuestion {
  std::array<int, 2> block = {1, 1};    ///< threads along x and y; as many as an int holds
  std::array<int, 2> results = {1, 1};  ///< of a thread, along x and y
  int registers_per_thread = 0;         ///< 0: not known
  std::size_t shared_bytes_per_block = 0;
  /// Of the grid; without: more than a GPU holds at a time.
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
  std::optional<Saturation> saturation;              ///< none where the launch cannot run
};

/// What it answers.
struct OccupancyReport {
  OccupancyQuestion question;
  model::LaunchNeeds launch;
  std::vector<OccupancyOnGpu> gpus;
};

/// The occupancy of a launch on each of the GPUs. The order that saturates a GPU holds for kernels
/// each of whose blocks computes (block x * results x) columns by (block y * results y) rows of C
/// that no other block does: square blocks and others, adjacent results and strided ones alike.
OccupancyReport occupancy_report(const OccupancyQuestion& question,
                                 const std::vector<core::GpuProfile>& gpus);

/// The report in the schema tilewise/occupancy/v1. What has no limit, or is not known, is null.
nlohmann::ordered_json occupancy_document(const OccupancyReport& report);

/// The report as text: all of it for one GPU, a line each for several.
std::string occupancy_table(const OccupancyReport& report);

}  // namespace tilewise::grading
