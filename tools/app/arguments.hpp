/// \file
/// Arguments that several commands take.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "grading/cli/bench.hpp"
#include "grading/progress/progress.hpp"
#include "tilewise_stages.hpp"

namespace tilewise::grading {

/// What a flag takes, in words; CLI11's own checks print the whole range of the number's type.
CLI::Validator whole_number(std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);

CLI::Validator seconds();

/// Whose kernels a command takes.
template <class Options>
void add_submission(CLI::App* command, Options& options) {
  CLI::Option* solutions =
      command->add_flag("--solutions", options.solutions, "Take the solutions instead of labs/");
  command
      ->add_option("--submission", options.submission,
                   "Take DIR/labs/NN_topic/*.cu, or files of DIR that are called so")
      ->option_text("DIR")
      ->excludes(solutions);
}

/// For which GPU.
template <class Options>
void add_gpu(CLI::App* command, Options& options) {
  command->add_option("--gpu", options.gpu, "GPU that the simulator models (default: gtx1080)")
      ->option_text("PROFILE");
}

/// On which backend.
template <class Options>
CLI::Option* add_backend(CLI::App* command, Options& options) {
  return command->add_option("--backend", options.backend, "auto (the default), simt or cuda")
      ->option_text("NAME")
      ->check(CLI::IsMember({"auto", "simt", "cuda"}));
}

/// On which of the machine's GPUs.
template <class Options>
void add_device(CLI::App* command, Options& options) {
  command
      ->add_option("--device", options.device,
                   "With --backend cuda: a GPU's number, or auto (the default) for the least busy")
      ->option_text("N");
}

/// "256,1000,1024".
void add_orders(CLI::App* command, BenchOptions& options);

/// The stage that an optional argument names; the current one where it is empty.
/// @throws CannotGrade listing the known stages
StageInfo stage_meant(const std::string& word, const Progress& progress);

}  // namespace tilewise::grading
