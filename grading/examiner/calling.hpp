#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grading/course/contract.hpp"
#include "grading/examiner/options.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/examiner/test_end.hpp"

namespace tilewise::grading {

/// A worker that runs the submission. Its time is short where earlier calls never ended.
WorkerOptions worker_options(const ExaminerOptions& options);

/// A worker that runs its checked build, on the simulator.
WorkerOptions checked_worker_options(const ExaminerOptions& options);

/// A worker that runs one of the baselines.
WorkerOptions baseline_worker_options(const ExaminerOptions& options,
                                      const std::filesystem::path& module);

/// How to make a call.
struct CallManner {
  std::optional<Timing> timing = std::nullopt;
  /// Of a timed call: the same call with other matrices, which the worker warms up with. It gets
  /// those that are timed once it has. Null: it warms up with the same.
  const Call* warm_up = nullptr;
  std::optional<simt::Watch> watch = std::nullopt;
  bool with_guard_bands = true;  ///< else each matrix is alone in its allocation
  bool is_supervised = false;    ///< by a tool that makes kernels several times as slow
  bool is_reference = false;     ///< of a baseline of ours, whose time is not the submission's
};

/// Waits until a worker has loaded the submission.
/// @return why it has not, if its outcome is not `returned`
const CallReply& wait_until_ready(Worker& worker);

/// Makes a call, unless the submission has used its time up, which is then the outcome. Where the
/// function returned, the call's matrices then hold what came back.
CallReply call_worker(Worker& worker, const Call& call, const CallManner& manner = {});

/// What happened instead of a return; the process that went wrong has put it into words.
Verdict no_return(const std::string& what, const CallReply& reply);

/// What is wrong with a call that should have been successful: it did not return, its kernels were
/// at fault, or its status is not cudaSuccess. Nothing if all is well.
std::optional<Verdict> failure_of(const std::string& what, const CallReply& reply);

}  // namespace tilewise::grading
