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
  /// What all tests examine; set once before they run.
  static void configure(ExaminerOptions options);

  /// Ends the baselines' workers, once all tests have run.
  static void end_baselines();

 protected:
  void SetUp() override;
  void TearDown() override;

  static const ExaminerOptions& options();
  /// Of the simulated card.
  static const core::Capability& capability() { return core::capability_of(options().profile); }
  Random& random() { return random_; }
  const DeviceInfo& device();

  /// Threads a block may have on the device examined.
  static int threads_per_block();

  /// Starts this test's worker unless it has one, and waits until it has loaded the submission;
  /// ends the test where it cannot.
  void await_worker();

  /// Makes a call, and fails the test unless the function returned, whatever its status. The call's
  /// matrices then hold what came back.
  CallReply run(const Call& call, const CallManner& manner = {});

  /// The same, and fails the test unless the status is cudaSuccess and no kernel was at fault.
  CallReply run_successfully(const Call& call, const CallManner& manner = {});

  /// As run_successfully(), in the checked build, which counts what each kernel does.
  CallReply run_counted(const Call& call);

  /// As run_counted(), but only a few blocks run, whose counters stand for their grids. Of the
  /// result the call's matrices then hold what those blocks have computed.
  CallReply run_sampled(const Call& call);

  /// Either of them, with threads in step. Nothing if the call failed in any way.
  std::optional<CallReply> run_in_step(const Call& call, bool sampled);

  /// The same call of the reference solution. The call's matrices mean nothing afterwards.
  /// @throws std::runtime_error where it cannot be made
  CallReply sample_reference(const Call& call);

  /// An order large enough to fill a GPU: one to time; on the simulator one to model, such that all
  /// of a product is still computed in a second or two where that must be.
  static int large_order() { return options().models_rates() ? 1024 : 4096; }

  /// What stage.json asks of this test.
  /// @throws std::runtime_error where it asks nothing
  static const SpeedMinimum& minimum_speed();

  /// Skips the test on a GPU, and tells whether it did.
  bool skipped_without_simulator();

  /// Skips the test, and returns true.
  bool skip(const std::string& reason, const std::string& advice);

  /// Makes a call in a worker of its own. Nothing if it failed in any way.
  std::optional<CallReply> run_in_fresh_worker(const Call& call);

  /// Lets the baselines' workers start while something else is done: on a GPU it takes them long.
  /// They serve further tests, too.
  void start_baselines();

  /// The same for this test's worker.
  void start_worker();

  /// Milliseconds that a baseline takes for a call; none if it cannot make it, as where cuBLAS is
  /// not installed. Its results are not looked at.
  std::vector<double> time_baseline(const std::string& name, const Call& call,
                                    const CallManner& timed);

  /// The same of each baseline that can make it, by name.
  std::map<std::string, std::vector<double>> time_baselines(const Call& call,
                                                            const CallManner& timed);

  /// Ends this test's worker, which it has, whatever it had running. The next call is made in
  /// another.
  void end_worker();

  /// Calls made in this test's worker so far.
  int calls_made() const { return calls_made_; }

  /// Ends the test.
  [[noreturn]] void fail(Verdict verdict);
  [[noreturn]] void fail(const Finding& finding) { fail(Verdict{finding}); }

  /// Has the next failure tell what CUDA refused in this call, and what is odd about its launch.
  void note_reply(const CallReply& reply) {
    refusals_ = reply.refusals;
    launches_ = reply.launch_list;
  }

  /// What a failure of a call that chose its launches says of them. Begins with a blank; empty
  /// where the call's arguments say it all.
  virtual std::string words_on(const std::string& /*call*/,
                               const std::vector<LaunchInfo>& /*launches*/) const {
    return "";
  }

  /// Has failures of this call tell where its blocks have other shapes than asked for.
  void expect_block(const std::string& call, TileShape threads) { blocks_[call] = threads; }

 private:
  std::optional<Worker> worker_;
  std::optional<Worker> checked_worker_;
  std::optional<Worker> sampling_worker_;
  bool worker_has_loaded_ = false;
  std::string output_;  ///< of workers that have ended
  Random random_;
  int calls_made_ = 0;
  std::vector<Finding> refusals_;            ///< of the last call
  std::vector<LaunchInfo> launches_;         ///< the same
  std::map<std::string, TileShape> blocks_;  ///< by call, as messages call it
  std::string last_call_;                    ///< as messages call it; empty before the first
};

struct Trial;
using PreparedTrial = std::unique_ptr<Trial>;
using PrepareTrial = std::function<PreparedTrial()>;

/// One call with new random matrices of its own. Fixtures derive from it what holds the matrices.
struct Trial {
  virtual ~Trial() = default;

  PrepareTrial again = {};  ///< the same call with other matrices

  Call call;
  std::string text;                       ///< of the call, for messages; set by prepare()
  std::vector<DeviceArray*> arrays = {};  ///< the call's matrices, the one it writes first
  std::function<void()> check_result;     ///< ends the test unless the result is right
  std::function<bool()> is_right = {};    ///< whether it is
  std::function<void()> check_sample;     ///< the same for large results: looks at a part of it
  /// What is wrong where only some blocks have run: looks at what is written, at least one element.
  /// Empty where the result cannot be told from what was there before.
  std::function<std::optional<Finding>()> fault_in_written;
  double work = 0;  ///< operations or bytes of the call, for rates
  /// Some blocks hang over the edge of the result, and other tests look at what is wrong there.
  bool hangs_over = false;
  bool computes = true;      ///< the work is operations; else it is bytes that are moved
  bool needs_kernel = true;  ///< false where there is nothing to compute
  CallReply reply;           ///< of the call, once it was made
};

/// Base of the fixtures for one kind of function: what can be expected of any call, whatever it
/// computes. What does not hold ends the test.
class TrialTest : public StageTest {
 protected:
  /// Expects cudaSuccess and a right result, computed by at least one kernel, by no library and not
  /// on the host.
  void try_right(Trial& trial);

  /// The same for a call that is there for its number of blocks, which all do alike: on the
  /// simulator some of them are enough if the last one is among them.
  void try_right_with_many_blocks(const PrepareTrial& prepare);

  /// Expects a right result, inputs bit for bit as they were, and nothing written around any
  /// matrix or between the rows of one.
  void try_inside(Trial& trial);

  /// Expects right results (see demand_result()) and no fault in any kernel, in every way that the
  /// backend has to look for one. Skips the test where it has none. Each trial is prepared once for
  /// each way. `large`: trials that the simulator runs with its threads in one order alone, in
  /// which it sees the same races as in others.
  void try_clean(const std::vector<PrepareTrial>& trials,
                 const std::vector<PrepareTrial>& large = {});

  /// Fails by what the simulator's checks find in a call whose result is wrong in no known way: a
  /// race of a size, say, that the test of safety does not try. Large calls are left alone, since
  /// checks make them many times as slow.
  void fail_by_fault(const Trial& trial);

  /// Expects a right result (see demand_result()), and counts what its kernels did.
  CountedCall try_counted(Trial& trial);

  /// Expects a right result in a test of something else, so that what computes nothing earns
  /// nothing there. Where blocks hang over an edge, wrong results are what tests of correctness
  /// tell: one mistake there costs their points, and not all. So does a missing barrier: a result
  /// that threads in step make right is enough. Then the trial has what they did, and a test that
  /// passes says so.
  void demand_result(Trial& trial);

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. `reason` continues "expected
  /// cudaErrorInvalidValue: ".
  void try_refused(Trial& trial, const std::string& reason);

  /// Expects the error of a launch that the device cannot hold, and nothing touched, or a right
  /// result if a kernel ran all the same. `reason`: why it cannot hold it.
  void try_launch_failure_reported(Trial& trial, const std::string& reason);

  /// Expects cudaSuccess and nothing touched. `hint`: where it returned an error.
  void try_nothing_done(Trial& trial, const std::string& hint);

  /// Times a call, checks a sample of its result, and records its rate as the measurement `name`
  /// and those of the baselines with the same matrices as "cublas_NAME". On the simulator: models
  /// it.
  void try_timed(const PrepareTrial& prepare, const std::string& name);

  /// Times calls in turns with the baselines, each turn with new matrices, until the figure for
  /// the verdict hardly changes any more; warms up with those of the turn before. Records the rates
  /// as try_timed() does, and the minimum; expects enough. On the simulator: models the call and
  /// the reference solution's.
  void try_fast_enough(const PrepareTrial& prepare, const std::string& name, const RateGoal& goal);

  /// Expects loads or stores of global memory within `slack` times what theory has. `advice`: the
  /// hint where something is fetched too often.
  void expect_traffic(const CountedCall& call, const AccessKind& kind, const TrafficTheory& theory,
                      double slack, const std::string& advice);

  /// Lanes whose accesses become one request: a warp's, on compute capability 1.x a half-warp's.
  int lanes_of_a_request() const;

  /// Ends the test where the call has written outside of its matrices.
  void check_guards(const Trial& trial);

  /// What the function computes: "product".
  virtual std::string result_name() const = 0;

  /// Hint for a store outside of a matrix.
  virtual std::string edge_advice() const = 0;

  /// Hint for a wrong result that gives nothing away.
  virtual std::string advice() const = 0;

 private:
  struct CheckedPart;

  /// Starts the workers of all passes; on a GPU some passes are divided where there are many
  /// processors. Large trials are the first pass's alone on the simulator.
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

  /// The same for a call that is there for its number of blocks, which all do alike.
  void expect_right_with_many_blocks(const Case& described) {
    try_right_with_many_blocks([&] { return prepare(described); });
  }

  /// Expects a right result, inputs bit for bit as they were, and nothing written around any
  /// matrix or between the rows of one.
  void expect_inside(const Case& described) { try_inside(*prepare(described)); }

  /// Expects right results and no fault in any kernel, in every way that the backend has to look
  /// for one. Skips the test where it has none. `large`: as try_clean() has it.
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

  /// Expects a right result, and counts what its kernels did: in all, and launch by launch.
  CountedCall count(const Case& described) { return try_counted(*prepare(described)); }

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. The matrices are those of
  /// `allocated`; `reason` continues "expected cudaErrorInvalidValue: ".
  void expect_refused(const Case& bad, const Case& allocated, const std::string& reason) {
    try_refused(*prepare_with(bad, allocated), reason);
  }

  /// Expects cudaSuccess and nothing touched, of a call that has nothing to compute.
  void expect_nothing_done(const Case& described) {
    try_nothing_done(*prepare(described), advice_on_nothing());
  }

  /// Times a call (on the simulator: models it), checks a sample of its result and that no element
  /// is missing, and records its rate as the measurement `name`.
  void measure(const Case& described, const std::string& name) {
    try_timed([&] { return prepare(described); }, name);
  }

  PreparedTrial prepare(const Case& described) {
    PreparedTrial trial = prepare_with(described, described);
    trial->again = [this, described] { return prepare_with(described, described); };
    return trial;
  }

  /// The call with matrices for another.
  virtual PreparedTrial prepare_with(const Case& described, const Case& allocated) = 0;

  /// Hint for an error of a call that has nothing to compute.
  virtual std::string advice_on_nothing() const = 0;
};

}  // namespace tilewise::grading
