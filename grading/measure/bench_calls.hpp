#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/measure/bench_plan.hpp"
#include "grading/problem/problem.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {

/// What the simulator tells of a call.
struct SimulatedCall {
  std::string problem;     ///< why there is nothing to tell; empty otherwise
  bool is_absent = false;  ///< the problem: it cannot do this, or not on this card
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

/// A contender's call, to be timed beside others.
struct TimingRequest {
  const ContenderModule* module = nullptr;
  NamedCall call;
};

/// What came of it.
struct TimedCall {
  std::string problem;     ///< why there is no time; empty otherwise
  bool is_absent = false;  ///< the problem: it cannot do this, or not on this card
  double ms = 0;
  double copies_ms = 0;       ///< median of the turns whose matrices were copied
  std::optional<bool> right;  ///< the whole result; nothing for a copy, which does not transpose
  std::optional<double> mean_ms = {};  ///< of ten calls timed as one, where that is asked for
};

/// A worker that runs modules on the GPU.
WorkerOptions timing_worker_options(const std::filesystem::path& worker,
                                    const std::filesystem::path& module,
                                    const core::GpuProfile& gpu);

/// Times calls on a GPU in worker processes, one for each contender, in turns.
class BenchTiming {
 public:
  /// @param worker the program that runs modules on the GPU
  /// @param shared_bytes room for the matrices of one call
  /// @param device_memory that is free; nothing where it is not known
  /// @param mean_of_ten ten calls are timed as one besides
  BenchTiming(std::filesystem::path worker, core::GpuProfile gpu, std::size_t shared_bytes,
              std::optional<std::size_t> device_memory, bool mean_of_ten = false)
      : worker_(std::move(worker)),
        gpu_(std::move(gpu)),
        shared_bytes_(shared_bytes),
        device_memory_(device_memory),
        mean_of_ten_(mean_of_ten) {}

  /// All calls are of the same workload.
  /// @param copies whether matrices are copied in every turn, rather than once
  std::vector<TimedCall> run(const std::vector<TimingRequest>& requests, const Workload& workload,
                             const Problem& problem, bool copies = false);

 private:
  Worker& worker_of(const ContenderModule& module);

  std::filesystem::path worker_;
  core::GpuProfile gpu_;
  std::size_t shared_bytes_;
  std::optional<std::size_t> device_memory_;
  bool mean_of_ten_;
  std::map<const ContenderModule*, Worker> workers_;
};

/// Instructions of warps that each call takes on the GPU, by its text, as Nsight Compute counts
/// them; they do not depend on the clock, so that each call is made once, untimed. Empty where it
/// does not run or may not read the counters.
/// @param worker runs the module; what watches over it is put in its place
std::map<std::string, double> count_instructions(const std::filesystem::path& nsight_compute,
                                                 WorkerOptions worker,
                                                 const std::vector<NamedCall>& calls,
                                                 const std::filesystem::path& scratch);

}  // namespace tilewise::grading
