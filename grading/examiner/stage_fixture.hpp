#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/capability.hpp"
#include "grading/course/contract.hpp"
#include "grading/examiner/calling.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/examiner/memory_limits.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/examiner/rates.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {

/// Base of every grader's fixture: a fresh worker process and a random generator for each test.
class StageTest : public testing::Test {
 public:
  /// Sets what all tests examine. To be called once, before they run.
  static void configure(ExaminerOptions options);

  /// Ends the baselines' workers. To be called once all tests have run.
  static void end_baselines();

 protected:
  void SetUp() override;
  void TearDown() override;

  static const ExaminerOptions& options();
  /// Returns the compute capability of the simulated card.
  static const core::Capability& capability() { return core::capability_of(options().profile); }
  Random& random() { return random_; }
  const DeviceInfo& device();

  /// Returns how many threads a block may have on the device examined.
  static int threads_per_block();

  /// Starts this test's worker unless it is there already, and waits until it has loaded the
  /// submission. Ends the test if that fails.
  void await_worker();

  /// Makes a call, which may end the worker. Afterwards the call's matrices hold what came back.
  CallReply run_to_any_end(const Call& call, const CallManner& manner = {});

  /// Does the same, and fails the test unless the function returned, with whatever status.
  CallReply run(const Call& call, const CallManner& manner = {});

  /// Does the same as run(), and also fails the test unless the status is cudaSuccess and no kernel
  /// was at fault.
  CallReply run_successfully(const Call& call, const CallManner& manner = {});

  /// Does the same as run_successfully(), but in the checked build, which counts what each kernel
  /// does.
  CallReply run_counted(const Call& call);

  /// Does the same as run_counted(), but runs only a few blocks of each grid, whose counters stand
  /// for the whole grid. Afterwards the call's matrices hold only what those blocks have computed
  /// of the result.
  CallReply run_sampled(const Call& call);

  /// Makes the call as run_sampled() or run_counted() does, but with the threads in step. Returns
  /// nothing if the call failed in any way.
  std::optional<CallReply> run_in_step(const Call& call, bool sampled);

  /// Makes the same call of the reference solution. The call's matrices mean nothing afterwards.
  /// @throws std::runtime_error if the call cannot be made
  CallReply sample_reference(const Call& call);

  /// Returns a matrix order that is large enough to fill a GPU. On a GPU it is the order to time.
  /// On the simulator it is the order to model; there a whole product, where one is needed, still
  /// takes only a second or two.
  static int large_order() { return options().models_rates() ? 1024 : 4096; }

  /// Returns the minimum speed that stage.json asks of this test.
  /// @throws std::runtime_error if stage.json asks none
  static const SpeedMinimum& minimum_speed();

  /// Skips the test on a GPU, and returns whether it did.
  bool skipped_without_simulator();

  /// Skips the test, and returns true.
  bool skip(const std::string& reason, const std::string& advice);

  /// Makes a call in a worker of its own. Returns nothing if the call failed in any way.
  std::optional<CallReply> run_in_fresh_worker(const Call& call);

  /// Starts the baselines' workers without waiting for them, since on a GPU they take long to
  /// start. Later tests use the same workers.
  void start_baselines();

  /// Starts this test's worker without waiting for it.
  void start_worker();

  /// Returns the milliseconds that a baseline takes for a call. Returns none if the baseline cannot
  /// make the call, for example because cuBLAS is not installed. Its results are not checked.
  std::vector<double> time_baseline(const std::string& name, const Call& call,
                                    const CallManner& timed);

  /// Times each baseline in this way, and returns the times of those that can make the call, by
  /// name.
  std::map<std::string, std::vector<double>> time_baselines(const Call& call,
                                                            const CallManner& timed);

  /// Ends this test's worker, which must exist, whatever it is running. The next call is made in a
  /// new worker.
  void end_worker();

  /// Returns how many calls run() has made in this test so far.
  int calls_made() const { return calls_made_; }

  /// Records the verdict and ends the test.
  [[noreturn]] void fail(Verdict verdict);
  [[noreturn]] void fail(const Finding& finding) { fail(Verdict{finding}); }

  /// Keeps what explains this call and how it was launched, so that the next failure can
  /// report it.
  void note_reply(const CallReply& reply) {
    explanations_ = reply.explanations;
    launches_ = reply.launch_list;
  }

  /// Keeps the name of a call whose result was right, so that a wrong result of the same function
  /// can be told from it.
  void note_right(const std::string& call) { came_right_.push_back(call); }

  /// Returns what a failure's message adds about the launches that a call has chosen. The text
  /// begins with a space, and is empty where the call's arguments already determine the launches.
  virtual std::string words_on(const std::string& /*call*/,
                               const std::vector<LaunchInfo>& /*launches*/) const {
    return "";
  }

  /// Makes failures of this call point out blocks of another shape than the call asks for.
  void expect_block(const std::string& call, TileShape threads) { blocks_[call] = threads; }

 private:
  std::optional<Worker> worker_;
  std::optional<Worker> checked_worker_;
  std::optional<Worker> sampling_worker_;
  bool worker_has_loaded_ = false;
  std::string output_;  ///< what workers that have ended printed
  Random random_;
  int calls_made_ = 0;
  std::vector<Finding> explanations_;        ///< from the last call
  std::vector<LaunchInfo> launches_;         ///< from the last call
  std::map<std::string, TileShape> blocks_;  ///< shape asked for, by the call's name in messages
  std::string last_call_;                    ///< its name in messages; empty before the first call
  std::vector<std::string> came_right_;      ///< calls of this test, by their names in messages
};

struct Trial;
using PreparedTrial = std::unique_ptr<Trial>;
using PrepareTrial = std::function<PreparedTrial()>;

/// One call with new random matrices of its own. Each fixture derives a type from it that holds the
/// matrices.
struct Trial {
  virtual ~Trial() = default;

  PrepareTrial again = {};  ///< prepares the same call with other matrices

  Call call;
  std::string text;  ///< describes the call in messages; set by prepare_with()
  /// The call's matrices; the one that it writes comes first.
  std::vector<DeviceArray*> arrays = {};
  std::function<void()> check_result;   ///< ends the test unless the result is right
  std::function<bool()> is_right = {};  ///< whether the result is right
  std::function<void()> check_sample;   ///< like check_result, for large results: checks a sample
  /// Returns what is wrong with a result of which only some blocks have run. It checks the elements
  /// that were written, of which there must be at least one. Empty where a written element cannot
  /// be told from what was there before.
  std::function<std::optional<Finding>()> fault_in_written;
  double work = 0;  ///< operations or bytes of the call, for rates
  /// Whether some blocks hang over the edge of the result. Other tests check the result there.
  bool hangs_over = false;
  bool computes = true;      ///< whether `work` counts operations; otherwise it counts bytes moved
  bool needs_kernel = true;  ///< false where there is nothing to compute
  CallReply reply;           ///< the call's reply, once the call was made
};

/// Base of the fixtures for one kind of function. It has the expectations that apply to any call,
/// whatever the call computes. An expectation that does not hold ends the test.
class TrialTest : public StageTest {
 protected:
  /// Expects cudaSuccess and a right result, computed by at least one kernel, by no library and not
  /// on the host.
  void try_right(Trial& trial);

  /// Expects the same of a call that tests a large number of blocks which all do alike. On the
  /// simulator it is enough to run some of them, if the last one is among them.
  void try_right_with_many_blocks(const PrepareTrial& prepare);

  /// Expects a right result, inputs bit for bit as they were, and nothing written around any
  /// matrix or between the rows of one.
  void try_inside(Trial& trial);

  /// Expects right results (see demand_result()) and no fault in any kernel, and looks for faults
  /// in every way that the backend offers. Skips the test if the backend offers none. Each trial is
  /// prepared once for each way. `large` holds trials that the simulator runs with its threads in
  /// one order only, in which it sees the same races as in other orders.
  void try_clean(const std::vector<PrepareTrial>& trials,
                 const std::vector<PrepareTrial>& large = {});

  /// Ends the test with what the simulator's checks find in a call whose result is wrong in no
  /// known way: for example a race at a size that the test of safety does not try. Large calls are
  /// not checked, since checks make them many times as slow.
  /// @param crashes whether the call has crashed without checks, so that a crash is what they find
  void fail_by_fault(const Trial& trial, bool crashes = false);

  /// Makes a call that must succeed. If it crashes, the test ends with what the checks find in it.
  void run_or_explain(Trial& trial);

  /// Expects a right result (see demand_result()), and counts what the call's kernels did.
  CountedCall try_counted(Trial& trial);

  /// Expects a right result in a test of something else, so that a kernel that computes nothing
  /// earns nothing there. Where blocks hang over an edge, wrong results are left to the tests of
  /// correctness, so that one mistake there costs only their points. In the same way a missing
  /// barrier is left to the test of races: a result that is right with the threads in step is
  /// enough. The trial then has the reply of the call in step, and a test that passes says so.
  void demand_result(Trial& trial);

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. `reason` continues "expected
  /// cudaErrorInvalidValue: ".
  void try_refused(Trial& trial, const std::string& reason);

  /// Expects the error of a launch that the device cannot hold, and nothing touched; if a kernel
  /// ran all the same, expects a right result. `reason` says why the device cannot hold the launch.
  void try_launch_failure_reported(Trial& trial, const std::string& reason);

  /// Expects cudaSuccess and nothing touched. `hint` is the advice for a call that returned an
  /// error.
  void try_nothing_done(Trial& trial, const std::string& hint);

  /// Times a call, checks a sample of its result, and records its rate as the measurement `name`.
  /// Also times the baselines with the same matrices, and records their rates under names such as
  /// "cublas_NAME". On the simulator it models the call instead.
  void try_timed(const PrepareTrial& prepare, const std::string& name);

  /// Times calls in turns with the baselines until the figure for the verdict hardly changes any
  /// more. Each turn has new matrices, and warms up with those of the turn before. Records the
  /// rates as try_timed() does, and the minimum, and expects the rate to reach it. On the simulator
  /// it models this call and the reference solution's instead.
  void try_fast_enough(const PrepareTrial& prepare, const std::string& name, const RateGoal& goal);

  /// Returns the modelled rate of a call with its threads in step; nothing if the call fails.
  std::optional<double> modelled_rate(const PrepareTrial& prepare);

  /// Expects loads or stores of global memory to stay within `slack` times what the theory needs.
  /// `advice` is the hint where something is fetched too often.
  void expect_traffic(const CountedCall& call, const AccessKind& kind, const TrafficTheory& theory,
                      double slack, const std::string& advice);

  /// Returns how many lanes' accesses become one request: those of a warp, or on compute capability
  /// 1.x those of a half-warp.
  int lanes_of_a_request() const;

  /// Ends the test if the call has written outside of its matrices.
  void check_guards(const Trial& trial);

  /// What the function computes, for example "product".
  virtual std::string result_name() const = 0;

  /// The hint for a store outside of a matrix.
  virtual std::string edge_advice() const = 0;

  /// The hint for a wrong result that shows no known mistake.
  virtual std::string advice() const = 0;

 private:
  struct CheckedPart;

  /// Starts the workers of all passes. On a GPU some passes are divided among several workers where
  /// there are many processors. On the simulator only the first pass has the large trials.
  static std::list<CheckedPart> start_passes(const std::vector<CheckPass>& passes,
                                             const std::vector<PrepareTrial>& trials,
                                             const std::vector<PrepareTrial>& large);
  static void make_calls(CheckedPart& part);
  static void make_calls_side_by_side(std::list<CheckedPart>& parts);
  void run_timed(Trial& trial, const CallManner& timed);
  ModelledRate run_modelled(Trial& trial);
  bool comes_right_in_step(Trial& trial, bool sampled);
  std::optional<ModelledRate> modelled(const Trial& trial, const CallReply& reply,
                                       const std::vector<CompiledKernel>& compiled) const;
  std::optional<Finding> idle_threads(const Trial& trial, std::uint64_t elements) const;
  void check_computed(Trial& trial);
  void try_fast_enough_modelled(const PrepareTrial& prepare, const std::string& name,
                                const RateGoal& goal);
  std::vector<double> time_reference_alone(const Trial& trial, const CallManner& timed);
  void check_own_kernels(const Trial& trial);
  void check_untouched(const Trial& trial, const std::string& when);
};

/// A fixture whose calls are described by a Case. Every expectation draws new matrices, and ends
/// the test where it does not hold.
template <class Case>
class CaseTest : public TrialTest {
 protected:
  /// Expects cudaSuccess and a right result, computed by at least one kernel where there is
  /// something to compute. Returns the reply with the launches it took.
  CallReply expect_right(const Case& described) {
    const PreparedTrial trial = prepare(described);
    try_right(*trial);
    return trial->reply;
  }

  /// Expects the same of a call that tests a large number of blocks which all do alike.
  void expect_right_with_many_blocks(const Case& described) {
    try_right_with_many_blocks([&] { return prepare(described); });
  }

  /// Expects a right result, inputs bit for bit as they were, and nothing written around any
  /// matrix or between the rows of one.
  void expect_inside(const Case& described) { try_inside(*prepare(described)); }

  /// Expects right results and no fault in any kernel, and looks for faults in every way that the
  /// backend offers. Skips the test if the backend offers none. For `large` see try_clean().
  void expect_clean(const std::vector<Case>& cases, const std::vector<Case>& large = {}) {
    const auto trials_of = [this](const std::vector<Case>& described) {
      std::vector<PrepareTrial> trials;
      for (const Case& each : described) {
        trials.push_back([this, &each] { return prepare(each); });
      }
      return trials;
    };
    try_clean(trials_of(cases), trials_of(large));
  }

  /// Expects a right result, and counts what the call's kernels did, in total and launch by launch.
  CountedCall count(const Case& described) { return try_counted(*prepare(described)); }

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. The matrices are those of
  /// `allocated`; `reason` continues "expected cudaErrorInvalidValue: ".
  void expect_refused(const Case& bad, const Case& allocated, const std::string& reason) {
    try_refused(*prepare_with(bad, allocated), reason);
  }

  /// Expects a call that has nothing to compute to return cudaSuccess and to touch nothing.
  void expect_nothing_done(const Case& described) {
    try_nothing_done(*prepare(described), advice_on_nothing());
  }

  /// Times a call, or models it on the simulator. Checks a sample of its result and that no element
  /// is missing, and records its rate as the measurement `name`.
  void measure(const Case& described, const std::string& name) {
    try_timed([&] { return prepare(described); }, name);
  }

  PreparedTrial prepare(const Case& described) {
    PreparedTrial trial = prepare_with(described, described);
    trial->again = [this, described] { return prepare_with(described, described); };
    return trial;
  }

  /// Prepares the call `described`, but with matrices for the call `allocated`.
  virtual PreparedTrial prepare_with(const Case& described, const Case& allocated) = 0;

  /// The hint for an error that a call returned although it has nothing to compute.
  virtual std::string advice_on_nothing() const = 0;
};

}  // namespace tilewise::grading
