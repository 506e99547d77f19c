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

/// What a flag takes, in words; CLI11's own checks print the whole range of the number's type.
CLI::Validator whole_number(std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);

CLI::Validator seconds();

/// What CLI11 says of arguments that are not as they must be, in the language spoken.
std::string refusal_in_words(const CLI::App* app, const CLI::Error& error);

/// CLI11's own words in help texts, in the language spoken. Before any command is added.
void speak_in_help(CLI::App& app);

/// "Example: ./lab grade 3", which ends a command's help and stands below it in `lab help`.
std::string example(std::string_view command);

/// The one stage that a command is for.
CLI::Option* add_stage(CLI::App* command, Run& run,
                       const std::string& description = tr("03_shared_memory, 03 or 3"));

/// Whose kernels a command takes.
void add_submission(CLI::App* command, Run& run);

/// For which GPU.
void add_gpu(CLI::App* command, Run& run);

/// On which backend.
void add_backend(CLI::App* command, Run& run);

/// On which of the machine's GPUs.
void add_device(CLI::App* command, Run& run);

/// From what the inputs of a command are drawn.
void add_seed(CLI::App* command, Run& run, const std::string& description);

/// The stage that an optional argument names; the current one where it is empty.
/// @throws CannotGrade listing the known stages
StageInfo stage_meant(const std::string& word, const Progress& progress);

}  // namespace tilewise::grading
