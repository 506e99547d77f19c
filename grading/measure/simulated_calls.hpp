/// What `lab profile`, `lab predict` and `lab trace` have in common: calls of a stage's checked
/// build.
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

/// Thrown where the submission is to blame that there is nothing to show.
struct NothingToShow {
  Finding why;
};

/// Compiles a stage's sources. @throws NothingToShow
std::filesystem::path build_checked(const StageInfo& stage, const std::filesystem::path& folder,
                                    const std::filesystem::path& scratch);

/// A worker that counts what calls do.
/// @param module of the checked build
WorkerOptions counting_worker_options(const std::filesystem::path& module,
                                      const core::GpuProfile& gpu, double time_limit_s);

/// Why a counted call has nothing to show, the submission being to blame; nothing where it has.
/// @throws CannotGrade where nobody's code ran
std::optional<Finding> why_nothing_counted(const CallReply& reply, const std::string& call);

/// Compiles a stage's sources, makes the calls one after another and counts what their kernels do;
/// the terminal shows how far it is.
/// @param exhaustive  run every block, rather than a few that stand for all
/// @throws NothingToShow, CannotGrade
std::vector<ProfileReport> count_calls(const StageInfo& stage, const std::filesystem::path& folder,
                                       const core::GpuProfile& gpu,
                                       const std::vector<NamedCall>& calls, bool exhaustive,
                                       TerminalReport& terminal);

/// The lines of a stage's sources in a folder, by their names.
SourceTexts read_sources(const StageInfo& stage, const std::filesystem::path& folder);

}  // namespace tilewise::grading
