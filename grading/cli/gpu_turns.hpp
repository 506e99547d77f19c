#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grading/cli/gpu_choice.hpp"

namespace tilewise::grading {

/// Takes a GPU for this process, until it ends: others of Tilewise's that ask for it wait
/// meanwhile, other users' too. What keeps the turns is a lock on a file with the GPU's name.
/// @param folder  the same for all that are to wait for each other
/// @return whether nobody else has it; true where no such file can be had, as on a full disk
bool try_to_take(const std::string& uuid, const std::filesystem::path& folder);

/// The folder for these files: the system's temporary one.
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

}  // namespace tilewise::grading
