#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// A GPU of this machine and what others do with it, as nvidia-smi tells.
struct GpuLoad {
  int index = 0;  ///< in the order of the PCI bus, as nvidia-smi numbers them
  std::string uuid;
  int processes = 0;           ///< that compute on it
  double utilization_pct = 0;  ///< of the last second or so; 0 where unknown
  double memory_used_mib = 0;

  bool operator==(const GpuLoad&) const = default;
};

/// Reads what nvidia-smi prints.
/// @param gpus  of `--query-gpu=index,uuid,utilization.gpu,memory.used
/// --format=csv,noheader,nounits`
/// @param applications  of `--query-compute-apps=gpu_uuid,pid --format=csv,noheader`
/// @return without lines that are not understood.
std::vector<GpuLoad> parse_gpu_loads(std::string_view gpus, std::string_view applications);

/// The one with the fewest processes; of several, with the least utilization, then memory in use,
/// then index. `gpus`: at least one.
const GpuLoad& least_busy(const std::vector<GpuLoad>& gpus);

/// Lets every CUDA program that this process starts from now on see one GPU only.
/// @param wanted  an index as nvidia-smi numbers them, or "auto": the least busy one, unless the
///                user has set CUDA_VISIBLE_DEVICES or nvidia-smi is missing
/// @throws CannotGrade where there is no such GPU
void choose_gpu(const std::string& wanted);

/// Bytes of memory that the GPU has left which CUDA programs started from now on use; nothing where
/// nvidia-smi does not tell.
std::optional<std::size_t> free_gpu_memory();

}  // namespace tilewise::grading
