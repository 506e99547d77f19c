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

/// What `nvcc -Xptxas -v` says of kernels. Those with registers spilled to memory are among them.
std::vector<CompiledKernel> kernels_in(std::string_view ptxas_output);

/// Architectures whose registers are like those of a GPU, the likest first, as nvcc calls them: its
/// own, then one whose SMs have as many registers for as many threads. None for compute
/// capability 1.x, whose compilers used fewer for addresses.
std::vector<std::string> architectures_like(const core::GpuProfile& gpu);

/// Compiles a stage's sources with nvcc for their registers, beside other work; takes what it said
/// of the same sources before, if it is the same nvcc.
class RegisterCompilation {
 public:
  /// Starts nvcc, where it is found.
  /// @param folder holds the stage's .cu files
  /// @param scratch existing folder; it makes one of its own there
  RegisterCompilation(const std::string& stage_id, const std::filesystem::path& folder,
                      const core::GpuProfile& gpu, const std::filesystem::path& scratch,
                      const Sandbox& sandbox = {});

  /// Goes on with it without waiting for it. Tells whether wait() will not wait.
  bool is_over();

  /// Waits for it; call once. Empty where there is no nvcc, it knows none of the architectures or
  /// the sources do not compile.
  std::vector<CompiledKernel> wait();

 private:
  void start_next();

  std::string key_;                    ///< of what nvcc says, in the cache
  std::filesystem::path said_;         ///< file for it
  std::optional<std::string> output_;  ///< once there is one
  std::vector<Command> commands_;      ///< for one architecture after another, until one succeeds
  std::optional<RunningCommand> running_;
  std::size_t next_ = 0;
};

}  // namespace tilewise::grading
