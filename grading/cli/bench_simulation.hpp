#pragma once

#include <optional>
#include <string>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/bench_modules.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/problem/workload.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {

/// What the simulator tells of a call.
struct SimulatedCall {
  std::string problem;  ///< why there is nothing to tell; empty otherwise
  ProfileReport profile;
  std::optional<bool>
      right;  ///< what the blocks that ran have written; nothing where nobody looked
};

/// Runs calls of one contender on the simulator, a few blocks of each.
class BenchSimulation {
 public:
  /// @param shared_bytes room for the matrices of a call that is judged
  BenchSimulation(const ContenderModule& module, const core::GpuProfile& gpu,
                  std::size_t shared_bytes)
      : module_(module), gpu_(gpu), shared_bytes_(shared_bytes) {}

  /// @param workload what to judge the result by; null: the matrices hold anything
  /// @throws CannotGrade where the matrices do not fit
  SimulatedCall run(const NamedCall& call, const Workload* workload);

 private:
  const ContenderModule& module_;
  const core::GpuProfile& gpu_;
  std::size_t shared_bytes_;
  std::optional<Worker> worker_;  // none before the first call and after one that ended it
};

}  // namespace tilewise::grading
