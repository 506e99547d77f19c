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
  /// Modules with the same functions that are timed beside the submission, by name. On the
  /// simulator there is only "reference", the checked build of the solution, whose speed is
  /// modelled beside it.
  std::map<std::string, std::filesystem::path> baselines = {};
  /// What nvcc made of the kernels, if nvcc was found; on the simulator only.
  CompiledKernels compiled = {};
  std::string backend;       ///< "simt" or "cuda"
  core::GpuProfile profile;  ///< GPU to simulate
  std::uint64_t seed = 0;
  double time_limit_s = 10;                         ///< of one call
  Sandbox sandbox = {};                             ///< that the submission runs in
  std::map<std::string, SpeedMinimum> minima = {};  ///< for tests of speed, by full name

  bool writes_coverage = false;  ///< for modules that were built to be covered

  bool times_simulator = false;  ///< for tests of the fixtures: rates are measured, as on a GPU

  bool on_gpu() const { return backend == "cuda"; }
  bool models_rates() const { return !on_gpu() && !times_simulator; }
};

/// Returns the options of a worker that runs the submission.
WorkerOptions worker_options(const ExaminerOptions& options);

/// Returns the options of a worker that runs the submission's checked build, on the simulator.
WorkerOptions checked_worker_options(const ExaminerOptions& options);

/// Returns the options of a worker that runs one of the baselines.
WorkerOptions baseline_worker_options(const ExaminerOptions& options,
                                      const std::filesystem::path& module);

/// How to make a call.
struct CallManner {
  std::optional<Timing> timing = std::nullopt;
  /// For a timed call: the same call with other matrices, with which the worker warms up. It gets
  /// the matrices that are timed only afterwards. Null: it warms up with the timed ones.
  const Call* warm_up = nullptr;
  std::optional<simt::Watch> watch = std::nullopt;
  bool with_guard_bands = true;  ///< if false, each matrix is alone in its allocation
  bool ends_at_a_unit = false;   ///< the allocation is then as long as whole units of 16 bytes
  bool is_supervised = false;    ///< it runs under a tool that makes kernels several times as slow
  bool is_reference = false;     ///< a call of a baseline, whose time is not the submission's
};

/// Waits until a worker has loaded the submission.
/// @return the reply; it says why the submission is not loaded if its ending is not `returned`
const CallReply& wait_until_ready(Worker& worker);

/// Makes a call. If the submission has used up its time, makes none and returns a reply with the
/// ending `timed_out`. If the function returned, the call's matrices hold what came back.
CallReply call_worker(Worker& worker, const Call& call, const CallManner& manner = {});

/// Returns the verdict on a call that did not return. The reply's finding says in words what
/// happened.
Verdict no_return(const std::string& what, const CallReply& reply);

/// Returns what is wrong with a call that should have been successful: it did not return, its
/// kernels were at fault, or its status is not cudaSuccess. Returns nothing if all is well.
std::optional<Verdict> failure_of(const std::string& what, const CallReply& reply);

/// One way to look for faults in kernels.
struct CheckPass {
  std::string circumstances;  ///< for messages: ", threads in reverse order"; may be empty
  simt::Watch watch;          ///< for the simulator
  std::string tool;           ///< of compute-sanitizer, on a GPU
  /// By less than 16 bytes, because the tool cannot recognise short copies.
  bool lets_copies_overhang = false;
};

/// Returns the ways that the backend offers: on the simulator the checked build with its threads in
/// several orders, on a GPU the tools of compute-sanitizer. Returns none if it is not installed.
std::vector<CheckPass> check_passes(const ExaminerOptions& options, Random& random);

/// Makes calls and checks them in one of these ways, in a worker of their own.
class CheckedCalls {
 public:
  CheckedCalls(const ExaminerOptions& options, const CheckPass& pass);

  /// Says why calls cannot be checked in this way here, for example on a GPU that compute-sanitizer
  /// does not know. Empty if they can.
  std::string obstacle();

  /// Makes a call that should be successful.
  /// @param reply receives the outcome
  /// @return what is wrong with the call; nothing if all is well
  std::optional<Verdict> make(const Call& call, CallReply& reply);

  /// To be called after the last call, because compute-sanitizer may report a fault only then.
  std::optional<Verdict> finish();

  /// Whether the fault that was found may be a copy of fewer bytes than the tool assumes.
  bool found_a_copy_that_may_be_short() const { return may_be_short_; }

 private:
  /// The file that the tool writes; empty without a tool.
  std::filesystem::path log() const { return scratch_ ? scratch_->path() / "log" : ""; }

  CheckPass pass_;
  std::unique_ptr<ScratchDirectory> scratch_;
  Worker worker_;
  std::string last_call_;
  bool may_be_short_ = false;
};

}  // namespace tilewise::grading
