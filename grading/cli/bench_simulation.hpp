#pragma once

#include <optional>
#include <string>

#include "common/core/gpu_profile.hpp"
#include "grading/cli/bench_modules.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {

/// What the simulator tells of a call.
struct SimulatedCall {
  std::string problem;  ///< why there is nothing to tell; empty otherwise
  ProfileReport profile;
};

/// Runs calls of one contender on the simulator, a few blocks of each.
class BenchSimulation {
 public:
  BenchSimulation(const ContenderModule& module, const core::GpuProfile& gpu)
      : module_(module), gpu_(gpu) {}

  /// @throws CannotGrade where the matrices do not fit
  SimulatedCall run(const NamedCall& call);

 private:
  const ContenderModule& module_;
  const core::GpuProfile& gpu_;
  std::optional<Worker> worker_;  // none before the first call and after one that ended it
};

}  // namespace tilewise::grading
