#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/builder/builder.hpp"
#include "grading/cli/submission.hpp"

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

/// Which of two has fewer processes; where they have as many, less utilization, then less memory in
/// use, then the lower index.
bool less_busy(const GpuLoad& a, const GpuLoad& b);

/// Those of a machine's GPUs that a program may use.
/// @param wanted   an index as nvidia-smi numbers them, or "auto"
/// @param visible  CUDA_VISIBLE_DEVICES as the user has set it: indices or names; empty: all
/// @return none where `visible` names none of them
/// @throws CannotGrade where there is no such GPU
std::vector<GpuLoad> usable_gpus(const std::vector<GpuLoad>& gpus, const std::string& wanted,
                                 const std::string& visible);

/// A GPU as a result names it: "NVIDIA H200, GPU 1 of 2", counted from 0 as --device does; of a
/// machine with a single one its name.
/// @param gpu  nothing where it is not known
std::string name_among(const std::string& name, const std::optional<GpuLoad>& gpu,
                       std::size_t gpus_of_machine);

/// A GPU that was chosen, and how many there are.
struct GpuChoice {
  std::optional<GpuLoad> gpu;  ///< nothing where nvidia-smi does not know it
  std::size_t gpus_of_machine = 0;
};

/// Lets every CUDA program that this process starts from now on see one GPU only: of those that it
/// may use the least busy one that no other process of Tilewise's has, which it keeps until it
/// ends. Waits where there is none, and says so.
/// @param wanted  an index as nvidia-smi numbers them, or "auto"
/// @throws CannotGrade where there is no such GPU
GpuChoice choose_gpu(const std::string& wanted);

/// Bytes of memory that the GPU has left which CUDA programs started from now on use; nothing where
/// nvidia-smi does not tell.
std::optional<std::size_t> free_gpu_memory();

/// Takes a GPU for this process, until it ends: others of Tilewise's that ask for it wait
/// meanwhile, other users' too. What keeps the turns is a lock on a file with the GPU's name.
/// @param folder  the same for all that are to wait for each other
/// @return whether nobody else has it; true where no such file can be had, as on a full disk
bool try_to_take(const std::string& uuid, const std::filesystem::path& folder);

/// The folder for these files: the system's temporary one, whatever TMPDIR says. Jobs of a cluster
/// often have one each, and may share a GPU all the same.
std::filesystem::path folder_of_turns();

/// How to wait for a GPU; tests have their own ways.
struct GpuTurns {
  std::function<bool(const GpuLoad& gpu)> try_to_take;
  std::function<void()> tell_of_waiting;  ///< called once, before it waits
  std::function<void()> wait;             ///< a little
};

/// The first of the GPUs that nobody else has taken, in order of how busy they are; waits until one
/// of them is free. `gpus`: at least one.
const GpuLoad& take_one_of(const std::vector<GpuLoad>& gpus, const GpuTurns& turns);

/// A backend, and the device it grades on, as result files name it.
struct ChosenBackend {
  Backend backend;
  std::string device;  ///< "gtx1080 (modelled)", or the card's own name
};

/// Who is to use the GPU.
enum class GpuUser {
  this_process,  ///< which takes one until it ends, as choose_gpu() does
  others,        ///< that it starts, and that take theirs themselves; it only looks
};

/// A simulated card as reports call it.
std::string modelled_device(const std::string& gpu);

/// The backend a user asks for: "simt", "cuda", or "auto" for cuda where it works, else simt.
/// @param user  of the GPU, for cuda
/// @throws CannotGrade saying what is missing; std::runtime_error for an unknown profile.
ChosenBackend choose_backend(const Run& run, GpuUser user = GpuUser::this_process);

}  // namespace tilewise::grading
