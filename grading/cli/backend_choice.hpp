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

/// A GPU of this machine and how others use it, as nvidia-smi reports.
struct GpuLoad {
  int index = 0;  ///< in the order of the PCI bus, as nvidia-smi numbers them
  std::string uuid;
  int processes = 0;           ///< how many processes compute on it
  double utilization_pct = 0;  ///< of the last second or so; 0 if unknown
  double memory_used_mib = 0;

  bool operator==(const GpuLoad&) const = default;
};

/// Reads what nvidia-smi prints.
/// @param gpus  output of `--query-gpu=index,uuid,utilization.gpu,memory.used
/// --format=csv,noheader,nounits`
/// @param applications  output of `--query-compute-apps=gpu_uuid,pid --format=csv,noheader`
/// @return the GPUs, without lines that are not understood.
std::vector<GpuLoad> parse_gpu_loads(std::string_view gpus, std::string_view applications);

/// Whether `a` has fewer processes than `b`; if they have as many, less utilization, then less
/// memory in use, then the lower index.
bool less_busy(const GpuLoad& a, const GpuLoad& b);

/// Returns those of a machine's GPUs that a program may use.
/// @param wanted   an index as nvidia-smi numbers them, or "auto"
/// @param visible  CUDA_VISIBLE_DEVICES as the user has set it: indices or names; all if empty
/// @return none if `visible` names none of them
/// @throws CannotGrade if there is no such GPU
std::vector<GpuLoad> usable_gpus(const std::vector<GpuLoad>& gpus, const std::string& wanted,
                                 const std::string& visible);

/// Returns a GPU's name for results, such as "NVIDIA H200, GPU 1 of 2", counted from 0 as --device
/// does; on a machine with a single GPU only its name.
/// @param gpu  nothing if it is not known
std::string name_among(const std::string& name, const std::optional<GpuLoad>& gpu,
                       std::size_t gpus_of_machine);

/// A GPU that was chosen, and how many there are.
struct GpuChoice {
  std::optional<GpuLoad> gpu;  ///< nothing if nvidia-smi does not know it
  std::size_t gpus_of_machine = 0;
};

/// Makes every CUDA program that this process starts from now on see one GPU only. It takes the
/// least busy usable GPU that no other Tilewise process has, and keeps it until this process ends.
/// If there is none, it says so and waits.
/// @param wanted  an index as nvidia-smi numbers them, or "auto"
/// @throws CannotGrade if there is no such GPU
GpuChoice choose_gpu(const std::string& wanted);

/// Returns how many bytes of memory are free on the GPU that CUDA programs started from now on use;
/// nothing if nvidia-smi does not report it.
std::optional<std::size_t> free_gpu_memory();

/// Tries to take a GPU for this process, until it ends. Other Tilewise processes that ask for it
/// wait meanwhile, other users' too. The turns are kept by a lock on a file with the GPU's name.
/// @param folder  must be the same for all that are to wait for each other
/// @return whether nobody else has it; also true if no such file can be opened, as on a full disk
bool try_to_take(const std::string& uuid, const std::filesystem::path& folder);

/// Returns the folder for these files: the system's temporary one, whatever TMPDIR says. Jobs of a
/// cluster often have a temporary folder each, but may share a GPU.
std::filesystem::path folder_of_turns();

/// How to wait for a GPU; tests replace these functions.
struct GpuTurns {
  std::function<bool(const GpuLoad& gpu)> try_to_take;
  std::function<void()> tell_of_waiting;  ///< called once, before it waits
  std::function<void()> wait;             ///< waits a little
};

/// Returns the first of the GPUs that nobody else has taken, in order of how busy they are; waits
/// until one of them is free. `gpus` must have at least one.
const GpuLoad& take_one_of(const std::vector<GpuLoad>& gpus, const GpuTurns& turns);

/// A backend, and the device it grades on, as result files name it.
struct ChosenBackend {
  Backend backend;
  std::string device;  ///< "gtx1080 (modelled)", or the card's own name
};

/// Who is to use the GPU.
enum class GpuUser {
  this_process,  ///< it takes a GPU until it ends, as choose_gpu() does
  others,        ///< processes that it starts, which take a GPU themselves; it only checks
};

/// Returns a simulated card's name for reports.
std::string modelled_device(const std::string& gpu);

/// Returns the backend that a user asks for: "simt", "cuda", or "auto" for cuda if it works, else
/// simt.
/// @param user  who is to use the GPU, for cuda
/// @throws CannotGrade saying what is missing; std::runtime_error for an unknown profile.
ChosenBackend choose_backend(const Run& run, GpuUser user = GpuUser::this_process);

}  // namespace tilewise::grading
