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

/// What the simulator found out about a call.
struct SimulatedCall {
  std::string problem;  ///< why nothing was found out; empty otherwise
  /// The problem is that the contender, or this card, does not support the call.
  bool is_absent = false;
  ProfileReport profile;
  /// Whether what the sampled blocks have written is right; nothing if it was not checked.
  std::optional<bool> right;
};

/// Runs calls of one contender on the simulator, with a few blocks of each.
class BenchSimulation {
 public:
  /// @param shared_bytes the room for the matrices of a call that is judged
  BenchSimulation(const ContenderModule& module, const core::GpuProfile& gpu,
                  std::size_t shared_bytes)
      : module_(module), gpu_(gpu), shared_bytes_(shared_bytes) {}

  /// Runs the call.
  /// @param workload judges the result; null: the matrices hold arbitrary values
  /// @throws CannotGrade if the matrices do not fit
  SimulatedCall run(const NamedCall& call, const Workload* workload);

 private:
  const ContenderModule& module_;
  const core::GpuProfile& gpu_;
  std::size_t shared_bytes_;
  // Empty before the first call, and after a call that ended the worker.
  std::optional<Worker> worker_;
};

/// A contender's call, to be timed in turns with others.
struct TimingRequest {
  const ContenderModule* module = nullptr;
  NamedCall call;
};

/// The result of a TimingRequest.
struct TimedCall {
  std::string problem;  ///< why there is no time; empty otherwise
  /// The problem is that the contender, or this card, does not support the call.
  bool is_absent = false;
  double ms = 0;
  double copies_ms = 0;  ///< median of the turns in which the matrices were copied
  /// Whether the whole result is right; nothing for a copy, which does not transpose.
  std::optional<bool> right;
  std::optional<double> mean_ms = {};  ///< mean of ten calls timed as one, if that is asked for
};

/// Returns the options of a worker that runs a module on the GPU.
WorkerOptions timing_worker_options(const std::filesystem::path& worker,
                                    const std::filesystem::path& module,
                                    const core::GpuProfile& gpu);

/// Times calls on a GPU in turns, in one worker process for each contender.
class BenchTiming {
 public:
  /// @param worker the program that runs modules on the GPU
  /// @param shared_bytes the room for the matrices of one call
  /// @param device_memory the free bytes of the GPU; nothing if not known
  /// @param mean_of_ten whether to also time ten calls as one
  BenchTiming(std::filesystem::path worker, core::GpuProfile gpu, std::size_t shared_bytes,
              std::optional<std::size_t> device_memory, bool mean_of_ten = false)
      : worker_(std::move(worker)),
        gpu_(std::move(gpu)),
        shared_bytes_(shared_bytes),
        device_memory_(device_memory),
        mean_of_ten_(mean_of_ten) {}

  /// Times the calls, which all have the same workload.
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

/// Returns the number of warp instructions that each call executes on the GPU, by the call's text,
/// as Nsight Compute counts them. The numbers do not depend on the clock, so each call is made
/// once, untimed. The result is empty if Nsight Compute does not run or may not read the counters.
/// @param worker runs the module; its supervisor is replaced by Nsight Compute
std::map<std::string, double> count_instructions(const std::filesystem::path& nsight_compute,
                                                 WorkerOptions worker,
                                                 const std::vector<NamedCall>& calls,
                                                 const std::filesystem::path& scratch);

}  // namespace tilewise::grading
