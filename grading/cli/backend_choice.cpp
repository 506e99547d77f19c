#include "grading/cli/backend_choice.hpp"

#include <filesystem>
#include <string_view>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/programs.hpp"
#include "grading/cli/gpu_choice.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

ChosenBackend cuda(const std::string& device, GpuUser user) {
  const std::filesystem::path worker = tool("tilewise-worker-cuda");
  if (!std::filesystem::exists(worker)) {
    throw CannotGrade(
        "this build has no cuda backend, since there was no nvcc when it was configured; install "
        "the CUDA Toolkit, remove the folder build and run again, or use --backend simt");
  }
  try {
    cuda_compiler();
  } catch (const std::runtime_error& error) {
    throw CannotGrade(error.what());
  }
  GpuChoice choice;
  if (user == GpuUser::this_process) choice = choose_gpu(device);
  Command probe;
  probe.arguments = {worker, "--probe"};
  probe.time_limit_s = 60;  // a driver that must start first takes seconds
  const CommandResult result = run_command(probe);
  if (!result.succeeded()) {
    throw CannotGrade("--backend cuda: " + (result.output.empty()
                                                ? describe_ending(result) + "; use --backend simt"
                                                : first_line(result.output)));
  }
  return {Backend::cuda, name_among(first_line(result.output), choice.gpu, choice.gpus_of_machine)};
}

ChosenBackend simt(const std::string& gpu) {
  if (!std::filesystem::exists(tool("tilewise-worker-simt"))) {
    throw CannotGrade("this build has no simulator; configure it with TILEWISE_SIMT=ON");
  }
  return {Backend::simt, gpu + " (modelled)"};
}

}  // namespace

ChosenBackend choose_backend(const std::string& wanted, const std::string& gpu,
                             const std::string& device, GpuUser user) {
  core::gpu_profile(gpu);  // an unknown one is an error on every backend
  if (wanted == "cuda") return cuda(device, user);
  if (wanted == "simt") return simt(gpu);
  try {
    return cuda(device, user);
  } catch (const CannotGrade&) {
    if (device != "auto") throw;  // a GPU was asked for
    return simt(gpu);
  }
}

}  // namespace tilewise::grading
