#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/gpu/capability.hpp"
#include "common/simt/checks/grid_sample.hpp"
#include "common/simt/checks/launch_counts.hpp"
#include "common/simt/checks/launch_trace.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/recorder/global_shadow.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/findings.hpp"
#include "common/simt/runtime/module_variables.hpp"
#include "common/simt/runtime/remote_device.hpp"
#include "common/simt/runtime/thread_pool.hpp"
#include "common/simt/runtime/watch_state.hpp"

namespace tilewise::simt {

namespace {

// Limits of every compute capability (Programming Guide, "Technical
// Specifications per Compute Capability").
constexpr unsigned largest_block_z = 64;
constexpr unsigned largest_grid_yz = 65535;

bool empty(dim3 extents) { return extents.x == 0 || extents.y == 0 || extents.z == 0; }

/// CUDA's error for a launch the device cannot hold.
cudaError_t check(const LaunchConfiguration& launch) {
  const core::GpuProfile& gpu = device::profile();
  const dim3 grid = launch.grid, block = launch.block;
  const auto most_threads = static_cast<unsigned>(gpu.threads_per_block);
  if (empty(grid) || empty(block)) return cudaErrorInvalidConfiguration;
  if (block.x > most_threads || block.y > most_threads || block.z > largest_block_z ||
      std::uint64_t{block.x} * block.y * block.z > most_threads) {
    return cudaErrorInvalidConfiguration;
  }
  if (grid.x > core::capability_of(gpu).most_blocks_x || grid.y > largest_grid_yz ||
      grid.z > largest_grid_yz) {
    return cudaErrorInvalidConfiguration;
  }
  if (launch.dynamic_shared_bytes > device::dynamic_shared_limit()) return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// Hands out blocks of a grid, a run of neighbours at a time.
class BlockQueue {
 public:
  BlockQueue(dim3 grid, std::uint64_t count, int takers)
      : grid_(grid),
        count_(count),
        // About 64 runs a thread keep all of them busy to the end at little cost.
        run_(std::max<std::uint64_t>(1, count_ / (std::uint64_t(takers) * 64))) {}

  struct Run {
    std::uint64_t begin, end;
  };
  Run take() {
    const std::uint64_t begin = std::min(count_, next_.fetch_add(run_, std::memory_order_relaxed));
    return {begin, std::min(count_, begin + run_)};
  }
  uint3 index(std::uint64_t block) const {
    return {static_cast<unsigned>(block % grid_.x),
            static_cast<unsigned>(block / grid_.x % grid_.y),
            static_cast<unsigned>(block / grid_.x / grid_.y)};
  }
  void close() { next_.store(count_, std::memory_order_relaxed); }

 private:
  dim3 grid_;
  std::uint64_t count_;
  std::uint64_t run_;
  std::atomic<std::uint64_t> next_{0};
};

/// One launch on its way over the device.
class Launch {
 public:
  Launch(const LaunchConfiguration& configuration, const LaunchBody& body, const Watch& watch)
      : configuration_(configuration), body_(body), watch_(watch) {}

  /// From here on blocks that leave a trace leave it there.
  void collect(LaunchTrace& trace) { trace_ = &trace; }

  /// From here on all blocks are to run, which tells more than a sample can.
  void stop_sampling() { watch_.sample = false; }

  /// Runs the blocks [0, count), those of `chosen` where that is given; then `after_block` for each
  /// or `after_all` on each operating-system thread, with the block that ran there.
  /// @return what ended a block early
  template <class AfterBlock, class AfterAll>
  std::optional<Diagnostic> run(std::uint64_t count, const std::vector<std::uint64_t>* chosen,
                                AfterBlock&& after_block, AfterAll&& after_all) {
    ThreadPool& pool = ThreadPool::instance();
    BlockQueue queue(configuration_.grid, count, pool.size());
    std::mutex fault_mutex;
    std::optional<Diagnostic> first_fault;  // one tells it, where other blocks come to the same
    const std::function<void()> work = [&] {
      Block& block = Block::of_this_thread();
      block.start_launch(configuration_, body_, watch_);
      for (auto run = queue.take(); run.begin < run.end; run = queue.take()) {
        for (std::uint64_t i = run.begin; i < run.end; ++i) {
          const std::uint64_t number = chosen == nullptr ? i : (*chosen)[i];
          const std::optional<Diagnostic> fault = block.run(queue.index(number), number);
          if (trace_ != nullptr) trace_->add(*block.watch());
          if (fault) {
            queue.close();
            const std::lock_guard lock(fault_mutex);
            if (!first_fault) first_fault = fault;
            return;
          }
          after_block(block, number);
        }
      }
      after_all(block);
    };
    const DeviceMemory::Access access;
    pool.run(work);
    return first_fault;
  }

 private:
  const LaunchConfiguration& configuration_;
  LaunchBody body_;
  Watch watch_;
  LaunchTrace* trace_ = nullptr;
};

std::uint64_t blocks_of(dim3 grid) { return std::uint64_t{grid.x} * grid.y * grid.z; }

/// Alignment to a sector repeats with 8 floats; on 1.x, whose segments are of 128 bytes, with 32.
unsigned longest_period(const core::GpuProfile& gpu) {
  return core::capability_of(gpu).serves_half_warps ? 32 : 8;
}

const auto nothing = [](Block&, auto...) {};

/// Runs all blocks, and counts where that is wanted.
std::optional<Diagnostic> run_all(Launch& launch, const LaunchConfiguration& configuration,
                                  LaunchCounts& counts, std::size_t& static_shared_bytes) {
  std::mutex mutex;
  const auto after_block = [&](Block& block, std::uint64_t number) {
    if (block.watch() == nullptr) return;
    if (const auto moved = block.watch()->take_partition_bytes()) counts.add(number, *moved);
  };
  const auto after_all = [&](Block& block) {
    {
      const std::lock_guard lock(mutex);
      static_shared_bytes = std::max(static_shared_bytes, block.static_shared_bytes());
    }
    if (block.watch() != nullptr) counts.add(block.watch()->take_counts(), 1);
  };
  return launch.run(blocks_of(configuration.grid), nullptr, after_block, after_all);
}

/// Runs a few blocks and scales what they did to the grid.
/// @param irregular receives whether these blocks do not tell
std::optional<Diagnostic> run_sample(Launch& launch, const LaunchConfiguration& configuration,
                                     const Watch& watch, LaunchCounts& counts,
                                     KernelProfile& profile, bool& irregular) {
  GridSample sample(configuration.grid, longest_period(device::profile()));
  std::mutex mutex;
  for (auto wanted = sample.wanted(); !wanted.empty(); wanted = sample.wanted()) {
    const auto fault = launch.run(
        wanted.size(), &wanted,
        [&](Block& block, std::uint64_t number) {
          const std::lock_guard lock(mutex);
          sample.add(number, block.watch()->take_counts());
          profile.static_shared_bytes = block.static_shared_bytes();
        },
        nothing);
    if (fault) return fault;
    profile.simulated_blocks += wanted.size();
    sample.judge();
    if (sample.irregular() && watch.estimate) sample.estimate(watch.seed);
  }
  irregular = sample.irregular();
  profile.footprint = sample.footprint();
  if (irregular) return std::nullopt;
  sample.for_each([&](const auto& counted, auto weight) { counts.add(counted, weight); });
  return std::nullopt;
}

std::optional<Diagnostic> run_watched(Launch& launch, const LaunchConfiguration& configuration,
                                      std::uintptr_t code, const Watch& watch) {
  Findings::instance().start_launch();
  GlobalShadow::instance().start_launch();
  KernelProfile run{};
  LaunchCounts counts(blocks_of(configuration.grid));
  bool irregular = true;
  if (watch.counters && watch.sample && !watch.checks) {
    if (auto fault = run_sample(launch, configuration, watch, counts, run, irregular)) return fault;
  }
  if (irregular) {
    launch.stop_sampling();
    run.simulated_blocks = blocks_of(configuration.grid);
    if (auto fault = run_all(launch, configuration, counts, run.static_shared_bytes)) return fault;
  }
  if (!watch.counters) return std::nullopt;
  KernelProfile profile = counts.profile(code);
  profile.launch = device::record_of(configuration);
  profile.static_shared_bytes = run.static_shared_bytes;
  profile.blocks = blocks_of(configuration.grid);
  profile.simulated_blocks = run.simulated_blocks;
  profile.footprint = run.footprint;
  keep_profile(std::move(profile));
  return std::nullopt;
}

// nvcc refuses such a file.
std::optional<Diagnostic> too_many_constants(const LaunchConfiguration& launch,
                                             std::uintptr_t code) {
  constexpr std::size_t most = 65536;  // on every GPU
  const std::size_t bytes = ModuleVariables::of(code).constant_bytes();
  if (bytes <= most) return std::nullopt;
  return Diagnostic{"launch",
                    "the __constant__ variables of this file take " + std::to_string(bytes) +
                        " bytes, and a GPU has " + std::to_string(most) +
                        ": keep in constant memory only what all threads read",
                    launch.file, launch.line};
}

/// An access that cannot be made has an error of its own.
cudaError_t error_of(const Diagnostic& fault) {
  return fault.kind == "out-of-bounds" || fault.kind == "host-pointer" ? cudaErrorIllegalAddress
                                                                       : cudaErrorLaunchFailure;
}

}  // namespace

void run_grid(const LaunchConfiguration& configuration, const LaunchBody& body) {
  if (device::lasting_error() != cudaSuccess) return;
  if (RemoteDevice* const remote = RemoteDevice::instance()) {
    return remote->launch(configuration, body);
  }
  if (Block::of_this_thread().runs_device_code()) {
    device::record(Diagnostic{"launch",
                              "a kernel launches another kernel, which the simulator "
                              "cannot run; launch it from the host",
                              configuration.file, configuration.line});
    return device::fail_for_ever(cudaErrorLaunchFailure);
  }
  if (const cudaError_t error = check(configuration); error != cudaSuccess) {
    device::fail(error);
    return;
  }

  Watch watch = current_watch();
  watch.trace = watch.trace && !has_all_traces();
  Launch launch(configuration, body, watch);
  std::optional<Diagnostic> fault;
  if (watch.checks || watch.counters || watch.trace) {
    const auto code = reinterpret_cast<std::uintptr_t>(body.run);
    if (const auto excess = too_many_constants(configuration, code)) {
      device::record(*excess);
      return device::fail_for_ever(cudaErrorLaunchFailure);
    }
    LaunchTrace trace;
    if (watch.trace) launch.collect(trace);
    fault = run_watched(launch, configuration, code, watch);
    if (watch.trace) {
      KernelTrace traced = trace.take(code);
      traced.launch = device::record_of(configuration);
      keep_trace(std::move(traced));
    }
    for (Diagnostic& found : GlobalShadow::instance().finish_launch()) {
      constexpr auto behind_all_blocks = std::numeric_limits<std::uint32_t>::max();
      Findings::instance().add(std::move(found), behind_all_blocks);
    }
    Findings::instance().finish_launch();
  } else {
    fault = launch.run(blocks_of(configuration.grid), nullptr, nothing, nothing);
  }
  if (fault) {
    device::record(*fault);
    return device::fail_for_ever(error_of(*fault));
  }
  device::record(configuration);
}

}  // namespace tilewise::simt
