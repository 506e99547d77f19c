#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/bench_modules.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/problem/problem.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// A contender's call, to be timed beside others.
struct TimingRequest {
  const ContenderModule* module = nullptr;
  NamedCall call;
};

/// What came of it.
struct TimedCall {
  std::string problem;  ///< why there is no time; empty otherwise
  double ms = 0;
  std::optional<bool> right;  ///< the whole result; nothing for a copy, which does not transpose
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
  BenchTiming(std::filesystem::path worker, core::GpuProfile gpu, std::size_t shared_bytes,
              std::optional<std::size_t> device_memory)
      : worker_(std::move(worker)),
        gpu_(std::move(gpu)),
        shared_bytes_(shared_bytes),
        device_memory_(device_memory) {}

  /// All calls are of the same workload.
  std::vector<TimedCall> run(const std::vector<TimingRequest>& requests, const Workload& workload,
                             const Problem& problem);

 private:
  Worker& worker_of(const ContenderModule& module);

  std::filesystem::path worker_;
  core::GpuProfile gpu_;
  std::size_t shared_bytes_;
  std::optional<std::size_t> device_memory_;
  std::map<const ContenderModule*, Worker> workers_;
};

}  // namespace tilewise::grading
