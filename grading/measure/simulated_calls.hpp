/// Functions that `lab profile`, `lab predict` and `lab trace` share: they run calls of a stage's
/// checked build.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/course/stages.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {

/// Thrown if there is nothing to show because of a fault in the submission.
struct NothingToShow {
  Finding why;
};

/// Compiles a stage's sources for the checked simulator and returns the module.
/// @throws NothingToShow
std::filesystem::path build_checked(const StageInfo& stage, const std::filesystem::path& folder,
                                    const std::filesystem::path& scratch);

/// Returns the options of a worker that counts what calls do.
/// @param module the module of the checked build
WorkerOptions counting_worker_options(const std::filesystem::path& module,
                                      const core::GpuProfile& gpu, double time_limit_s);

/// Returns why a counted call has nothing to show through a fault in the submission, or nothing if
/// it has something to show.
/// @throws CannotGrade if the call was refused, so that no code of the submission ran
std::optional<Finding> why_nothing_counted(const CallReply& reply, const std::string& call);

/// Compiles a stage's sources, makes the calls one after another and counts what their kernels do.
/// The terminal shows the progress.
/// @param exhaustive  run every block, rather than a sample that stands for all
/// @throws NothingToShow, CannotGrade
std::vector<ProfileReport> count_calls(const StageInfo& stage, const std::filesystem::path& folder,
                                       const core::GpuProfile& gpu,
                                       const std::vector<NamedCall>& calls, bool exhaustive,
                                       TerminalReport& terminal);

/// Reads the lines of a stage's sources in a folder, by file name.
SourceTexts read_sources(const StageInfo& stage, const std::filesystem::path& folder);

}  // namespace tilewise::grading
