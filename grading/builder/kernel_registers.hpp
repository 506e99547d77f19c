#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/profile/modelled_time.hpp"

namespace tilewise::grading {

/// Returns what `nvcc -Xptxas -v` says of kernels, including those that spill registers to memory.
std::vector<CompiledKernel> kernels_in(std::string_view ptxas_output);

/// Returns architectures, as nvcc names them, whose registers are like those of a GPU, the most
/// similar first: its own, then one whose SMs have as many registers for as many threads. There are
/// none for compute capability 1.x, whose compilers used fewer registers for addresses.
std::vector<std::string> architectures_like(const core::GpuProfile& gpu);

/// Compiles a stage's sources with nvcc to learn their register counts, beside other work. Reuses
/// nvcc's earlier output for the same sources, if nvcc is the same.
class RegisterCompilation {
 public:
  /// Starts nvcc, if it is found.
  /// @param folder holds the stage's .cu files
  /// @param scratch existing folder; the object makes a folder of its own there
  RegisterCompilation(const std::string& stage_id, const std::filesystem::path& folder,
                      const core::GpuProfile& gpu, const std::filesystem::path& scratch,
                      const Sandbox& sandbox = {});

  /// Continues the compilation without waiting. Returns whether wait() would return at once.
  bool is_over();

  /// Waits for the compilation; may be called once. Returns nothing where there is no nvcc, nvcc
  /// knows none of the architectures or the sources do not compile.
  std::vector<CompiledKernel> wait();

 private:
  void start_next();

  std::string key_;                    ///< the cache's key for nvcc's output
  std::filesystem::path said_;         ///< the file for that output
  std::optional<std::string> output_;  ///< nvcc's output, once there is one
  std::vector<Command> commands_;      ///< one for each architecture, to run until one succeeds
  std::optional<RunningCommand> running_;
  std::size_t next_ = 0;
};

}  // namespace tilewise::grading
