/// \file
/// Arguments that several commands take.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/language.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// Accepts whole numbers from `least` to `most`. The help text shows no range, whereas CLI11's own
/// checks print the whole range of the number's type.
CLI::Validator whole_number(std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);

CLI::Validator seconds();

/// CLI11's message about bad arguments, in the user's language.
std::string refusal_in_words(const CLI::App* app, const CLI::Error& error);

/// Translates CLI11's own words in help texts into the user's language. To be called before any
/// command is added.
void speak_in_help(CLI::App& app);

/// "Example: ./lab grade 3", which ends a command's help and stands below it in `lab help`.
std::string example(std::string_view command);

/// Adds the argument for the one stage that a command works on.
CLI::Option* add_stage(CLI::App* command, Run& run,
                       const std::string& description = tr("03_shared_memory, 03 or 3"));

/// Adds the options that choose whose kernels a command takes.
void add_submission(CLI::App* command, Run& run);

/// Adds the option for the GPU that is modelled.
void add_gpu(CLI::App* command, Run& run);

/// Adds the option for the backend.
void add_backend(CLI::App* command, Run& run);

/// Adds the option that chooses one of the machine's GPUs.
void add_device(CLI::App* command, Run& run);

/// Adds the option for the seed of a command's inputs.
void add_seed(CLI::App* command, Run& run, const std::string& description);

/// The stage that an optional argument names; the current one if it is empty.
StageInfo stage_meant(const std::string& word, const Progress& progress);

}  // namespace tilewise::grading
