#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/capability.hpp"
#include "grading/course/contract.hpp"
#include "grading/examiner/calling.hpp"
#include "grading/examiner/options.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {

/// Base of every grader's fixture: a fresh worker process and a random generator for each test.
class StageTest : public testing::Test {
 public:
  /// What all tests examine; set once before they run.
  static void configure(ExaminerOptions options);

 protected:
  void SetUp() override;
  void TearDown() override;

  static const ExaminerOptions& options();
  /// Of the simulated card.
  static const core::Capability& capability() { return core::capability_of(options().profile); }
  Random& random() { return random_; }
  const DeviceInfo& device() const { return worker_->device(); }

  /// Threads a block may have on the device examined.
  static int threads_per_block();

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

  /// Milliseconds that a baseline takes for a call; none if it cannot make it, as where cuBLAS is
  /// not installed. The call's matrices hold its results afterwards.
  std::vector<double> time_baseline(const std::string& name, const Call& call,
                                    const CallManner& timed);

  /// The same of each baseline that can make it, by name.
  std::map<std::string, std::vector<double>> time_baselines(const Call& call,
                                                            const CallManner& timed);

  /// Ends this test's worker, whatever it had running. No call is to be made after that.
  void end_worker();

  /// Calls made in this test's worker so far.
  int calls_made() const { return calls_made_; }

  /// Ends the test.
  [[noreturn]] void fail(Verdict verdict);
  [[noreturn]] void fail(const Finding& finding) { fail(Verdict{finding}); }

 private:
  std::optional<Worker> worker_;
  std::optional<Worker> checked_worker_;
  std::optional<Worker> sampling_worker_;
  std::map<std::string, Worker> baseline_workers_;
  Random random_;
  int calls_made_ = 0;
  std::string last_call_;  ///< as messages call it; empty before the first
};

}  // namespace tilewise::grading
