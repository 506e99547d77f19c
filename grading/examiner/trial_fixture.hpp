#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grading/examiner/device_array.hpp"
#include "grading/examiner/memory_limits.hpp"
#include "grading/examiner/rates.hpp"
#include "grading/examiner/stage_fixture.hpp"

namespace tilewise::grading {

/// One call with new random matrices of its own. Fixtures derive from it what holds the matrices.
struct Trial {
  virtual ~Trial() = default;

  Call call;
  std::string text;                       ///< of the call, for messages; set by prepare()
  std::vector<DeviceArray*> arrays = {};  ///< the call's matrices, the one it writes first
  std::function<void()> check_result;     ///< ends the test unless the result is right
  std::function<void()> check_sample;     ///< the same for large results: looks at a part of it
  /// The same where only some blocks have run: looks at what is written, at least one element.
  /// Empty where the result cannot be told from what was there before.
  std::function<void()> check_written;
  double work = 0;           ///< operations or bytes of the call, for rates
  bool computes = true;      ///< the work is operations; else it is bytes that are moved
  bool needs_kernel = true;  ///< false where there is nothing to compute
  CallReply reply;           ///< of the call, once it was made
};

using PreparedTrial = std::unique_ptr<Trial>;
using PrepareTrial = std::function<PreparedTrial()>;

/// Base of the fixtures for one kind of function: what can be expected of any call, whatever it
/// computes. What does not hold ends the test.
class TrialTest : public StageTest {
 protected:
  /// Expects cudaSuccess and a right result, computed by at least one kernel, by no library and not
  /// on the host.
  void try_right(Trial& trial);

  /// Expects a right result, inputs bit for bit as they were, and nothing written around any
  /// matrix or between the rows of one.
  void try_inside(Trial& trial);

  /// Expects right results and no fault in any kernel, in every way that the backend has to look
  /// for one. Skips the test where it has none. Each trial is prepared once for each way.
  void try_clean(const std::vector<PrepareTrial>& trials);

  /// Expects a right result, and counts what its kernels did.
  CountedCall try_counted(Trial& trial);

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
  void run_timed(Trial& trial, const CallManner& timed);
  ModelledRate run_modelled(Trial& trial);
  std::optional<ModelledRate> modelled(const Trial& trial, const CallReply& reply,
                                       const std::vector<CompiledKernel>& compiled) const;
  void check_computed(const Trial& trial);
  void try_fast_enough_modelled(const PrepareTrial& prepare, const std::string& name,
                                const RateGoal& goal);
  std::vector<double> time_reference_alone(const Trial& trial, const CallManner& timed);
  void check_own_kernels(const Trial& trial);
  void check_untouched(const Trial& trial, const std::string& when);
};

}  // namespace tilewise::grading
