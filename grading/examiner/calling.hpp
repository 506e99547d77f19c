#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/course/contract.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/profile/modelled_time.hpp"

namespace tilewise::grading {

/// What the examiner was asked to examine.
struct ExaminerOptions {
  std::string stage;                     ///< "03_shared_memory"
  std::filesystem::path module;          ///< the submission as a shared object
  std::filesystem::path checked_module;  ///< its checked build; on the simulator only
  /// What is timed beside it, by name: modules with the same functions. On the simulator only
  /// "reference", the checked build of the solution, whose speed is modelled beside it.
  std::map<std::string, std::filesystem::path> baselines = {};
  /// What nvcc made of the kernels, where it was found; on the simulator only.
  CompiledKernels compiled = {};
  std::string backend;       ///< "simt" or "cuda"
  core::GpuProfile profile;  ///< GPU to simulate
  std::uint64_t seed = 0;
  double time_limit_s = 10;                         ///< of one call
  Sandbox sandbox = {};                             ///< that the submission runs in
  std::map<std::string, SpeedMinimum> minima = {};  ///< of tests of speed, by full name

  bool writes_coverage = false;  ///< of modules that were built to be covered

  bool times_simulator = false;  ///< for tests of the fixtures: as on a GPU, rates are measured

  bool on_gpu() const { return backend == "cuda"; }
  bool models_rates() const { return !on_gpu() && !times_simulator; }
};

/// A worker that runs the submission.
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
  bool ends_at_a_unit = false;   ///< which then is as long as whole units of 16 bytes
  bool is_supervised = false;    ///< by a tool that makes kernels several times as slow
  bool is_reference = false;     ///< of a baseline of ours, whose time is not the submission's
};

/// Waits until a worker has loaded the submission.
/// @return why it has not, if its ending is not `returned`
const CallReply& wait_until_ready(Worker& worker);

/// Makes a call, unless the submission has used its time up, which is then the ending. Where the
/// function returned, the call's matrices then hold what came back.
CallReply call_worker(Worker& worker, const Call& call, const CallManner& manner = {});

/// What happened instead of a return; the process that went wrong has put it into words.
Verdict no_return(const std::string& what, const CallReply& reply);

/// What is wrong with a call that should have been successful: it did not return, its kernels were
/// at fault, or its status is not cudaSuccess. Nothing if all is well.
std::optional<Verdict> failure_of(const std::string& what, const CallReply& reply);

/// One way to look for faults in kernels.
struct CheckPass {
  std::string circumstances;          ///< for messages: ", threads in reverse order"; may be empty
  simt::Watch watch;                  ///< of the simulator
  std::string tool;                   ///< of compute-sanitizer, on a GPU
  bool lets_copies_overhang = false;  ///< by less than 16 bytes; the tool cannot tell short ones
};

/// The ways that the backend has: on the simulator the checked build, with its threads in several
/// orders, on a GPU the tools of compute-sanitizer. None where that is not installed.
std::vector<CheckPass> check_passes(const ExaminerOptions& options, Random& random);

/// Calls that are looked at in one of these ways, in a worker of their own.
class CheckedCalls {
 public:
  CheckedCalls(const ExaminerOptions& options, const CheckPass& pass);

  /// Why nothing can be looked at in this way here, as on a GPU that compute-sanitizer does not
  /// know; empty if it can.
  std::string obstacle();

  /// Makes a call that should be successful.
  /// @param reply receives what came of it
  /// @return what is wrong with it; nothing if all is well
  std::optional<Verdict> make(const Call& call, CallReply& reply);

  /// To be called after the last call: compute-sanitizer may tell of a fault only now.
  std::optional<Verdict> finish();

  /// Whether the fault that was found may be a copy of fewer bytes than the tool takes it for.
  bool found_a_copy_that_may_be_short() const { return may_be_short_; }

 private:
  /// What a tool writes; none without one.
  std::filesystem::path log() const { return scratch_ ? scratch_->path() / "log" : ""; }

  CheckPass pass_;
  std::unique_ptr<ScratchDirectory> scratch_;
  Worker worker_;
  std::string last_call_;
  bool may_be_short_ = false;
};

}  // namespace tilewise::grading
