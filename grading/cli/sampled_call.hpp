#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/gpu/gpu_profile.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/report/terminal.hpp"

namespace tilewise::grading {

/// A worker that counts what calls do.
/// @param module of the checked build
WorkerOptions counting_worker_options(const std::filesystem::path& module,
                                      const core::GpuProfile& gpu, double time_limit_s);

/// Why a counted call has nothing to show, the submission being to blame; nothing where it has.
/// @throws CannotGrade where nobody's code ran
std::optional<Explanation> why_nothing_counted(const CallReply& reply, const std::string& call);

}  // namespace tilewise::grading
