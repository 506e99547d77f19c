#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/gpu/capability.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_heap.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/faults.hpp"
#include "common/simt/runtime/grid_progress.hpp"
#include "common/simt/runtime/launch_watcher.hpp"
#include "common/simt/runtime/module_variables.hpp"
#include "common/simt/runtime/remote_device.hpp"
#include "common/simt/runtime/streams.hpp"
#include "common/simt/runtime/thread_pool.hpp"

namespace tilewise::simt {

namespace {

// Limits that hold for every compute capability (Programming Guide, "Technical Specifications per
// Compute Capability").
constexpr unsigned largest_block_z = 64;
constexpr unsigned largest_grid_yz = 65535;

bool empty(dim3 extents) { return extents.x == 0 || extents.y == 0 || extents.z == 0; }

std::string in_words(dim3 extents) {
  std::string text = std::to_string(extents.x) + " x " + std::to_string(extents.y);
  return extents.z == 1 ? text : text + " x " + std::to_string(extents.z);
}

std::uint64_t blocks_of(dim3 grid) { return std::uint64_t{grid.x} * grid.y * grid.z; }

/// How many blocks the GPU holds at once, as threads and dynamic shared memory limit them.
std::uint64_t most_blocks_together(const LaunchConfiguration& launch) {
  int blocks = 0;
  const auto kernel = static_cast<const void*>(launch.kernel);  // any pointer will do
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel, static_cast<int>(blocks_of(launch.block)), launch.dynamic_shared_bytes);
  return static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(device::profile().sms);
}

/// The most threads that a cooperative launch may have: each has a stack between two gaps, and
/// Linux gives a process 65,530 mappings.
constexpr std::uint64_t most_threads_together = 28000;

bool can_run_together(const LaunchConfiguration& launch) {
  return blocks_of(launch.grid) * blocks_of(launch.block) <= most_threads_together &&
         blocks_of(launch.grid) <= most_blocks_together(launch);
}

bool is_too_large_together(const LaunchConfiguration& launch) {
  return launch.cooperative && !can_run_together(launch);
}

/// Returns why the device cannot hold a launch, for messages.
std::string why_refused(const LaunchConfiguration& launch) {
  const dim3 grid = launch.grid, block = launch.block;
  const auto count = [](dim3 of) { return std::uint64_t{of.x} * of.y * of.z; };
  const auto most = static_cast<std::uint64_t>(device::profile().threads_per_block);
  const auto refused = [&](const std::string& why) {
    return tr("{} was not launched: {}", launch.kernel, why);
  };
  if (empty(grid)) {
    return refused(
        tr("its grid of {} has no blocks. Whole tiles and the rest at the edge: (n + "
           "side - 1) / side",
           in_words(grid)));
  }
  if (empty(block)) return refused(tr("its block of {} has no threads", in_words(block)));
  if (count(block) > most) {
    const std::string why = refused(tr("a block of {} has {} threads, and this GPU takes {}",
                                       in_words(block), count(block), most));
    const bool seems_swapped = count(grid) > 1 && count(grid) <= most;
    return seems_swapped ? why + tr(". Is it <<<block, grid>>>? The grid comes first") : why;
  }
  const std::size_t limit = device::dynamic_shared_limit(launch.function);
  if (launch.dynamic_shared_bytes > limit) {
    const std::string why =
        refused(tr("it asks for {} bytes of dynamic shared memory, the third value in <<< >>>, "
                   "and {} can be had",
                   launch.dynamic_shared_bytes, limit));
    const bool is_of_another = launch.dynamic_shared_bytes <= device::dynamic_shared_limit(nullptr);
    return is_of_another ? why + tr(". cudaFuncSetAttribute() has asked for more, but for another "
                                    "kernel, and each kernel needs it for itself")
                         : why;
  }
  if (is_too_large_together(launch)) {
    return refused(
        tr("its blocks wait for each other, so that all {} have to run at the same "
           "time; this GPU runs {}, and the simulator {} of this size",
           count(grid), most_blocks_together(launch),
           most_threads_together / std::max<std::uint64_t>(count(block), 1)));
  }
  return refused(tr("its grid of {} or block of {} is larger along a side than a GPU takes",
                    in_words(grid), in_words(block)));
}

/// Returns CUDA's error for a launch that the device cannot hold.
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
  if (launch.dynamic_shared_bytes > device::dynamic_shared_limit(launch.function)) {
    return cudaErrorInvalidValue;
  }
  if (is_too_large_together(launch)) return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

/// Hands out the blocks of a grid, a run of neighbours at a time.
class BlockQueue {
 public:
  BlockQueue(dim3 grid, std::uint64_t count, int takers)
      : grid_(grid),
        count_(count),
        // About 64 runs for each thread keep all of them busy to the end at little cost. In a grid
        // whose blocks may wait for each other, no thread may hold back a block while it runs
        // another.
        run_(may_wait_for_each_other(count)
                 ? 1
                 : std::max<std::uint64_t>(1, count_ / (std::uint64_t(takers) * 64))) {}

  /// Holds for grids of whole programs that a GPU can hold at once.
  static bool may_wait_for_each_other(std::uint64_t count) {
    constexpr std::uint64_t most = 8192;
    return count <= most && device::is_whole_program();
  }

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
  std::uint64_t left() const {
    return count_ - std::min(count_, next_.load(std::memory_order_relaxed));
  }

 private:
  dim3 grid_;
  std::uint64_t count_;
  std::uint64_t run_;
  std::atomic<std::uint64_t> next_{0};
};

/// One launch on the device.
class Launch {
 public:
  Launch(const LaunchConfiguration& configuration, const LaunchBody& body, const Watch& watch)
      : configuration_(configuration), body_(body), watch_(watch) {}

  /// @return what ended a block early
  std::optional<Finding> run_all() {
    return configuration_.cooperative ? run_together()
                                      : run(blocks_of(configuration_.grid), nullptr);
  }

  /// Notifies observers of the launch, runs some of its blocks where that suffices for them, and
  /// keeps their results.
  std::optional<Finding> run_watched();

 private:
  std::optional<Finding> run(std::uint64_t count, const std::vector<std::uint64_t>* chosen);
  std::optional<Finding> run_together();
  void keep_results(const BlockWeights& weights, bool complete);

  const LaunchConfiguration& configuration_;
  LaunchBody body_;
  Watch watch_;
  std::mutex mutex_;
  std::size_t static_shared_bytes_ = 0;
  std::uint64_t simulated_blocks_ = 0;
};

/// Runs the blocks [0, count), or those in `chosen` if it is given.
std::optional<Finding> Launch::run(std::uint64_t count, const std::vector<std::uint64_t>* chosen) {
  ThreadPool& pool = ThreadPool::instance();
  BlockQueue queue(configuration_.grid, count, pool.size());
  std::optional<Finding> first_fault;  // only one is reported, since other blocks have the same
  const std::function<void()> work = [&] {
    Block& block = Block::of_this_thread();
    block.start_launch(configuration_, body_, watch_);
    for (auto run = queue.take(); run.begin < run.end; run = queue.take()) {
      for (std::uint64_t i = run.begin; i < run.end; ++i) {
        const std::uint64_t number = chosen == nullptr ? i : (*chosen)[i];
        const std::optional<Finding> fault = block.run(queue.index(number), number);
        if (fault) {
          queue.close();
          const std::lock_guard lock(mutex_);
          if (!first_fault) first_fault = fault;
          return;
        }
        GridProgress::instance().note_block();
      }
    }
    block.finish_launch();
    const std::lock_guard lock(mutex_);
    static_shared_bytes_ = std::max(static_shared_bytes_, block.static_shared_bytes());
  };
  const DeviceMemory::Access access;
  GridProgress::instance().start(count);
  std::vector<std::thread> others;
  // Starts a thread for each block that is left, as a GPU that has room for all of them runs them.
  const auto start_others = [&] {
    for (std::uint64_t i = queue.left(); i > 0; --i) {
      others.emplace_back([&] {
        use_alternate_signal_stack();
        work();
      });
    }
  };
  {
    const bool may_wait = chosen == nullptr && BlockQueue::may_wait_for_each_other(count) &&
                          count > static_cast<std::uint64_t>(pool.size()) &&
                          can_run_together(configuration_);
    std::optional<LaunchWatcher::Watching> watching;
    if (may_wait) watching.emplace(start_others);
    pool.run(work);
  }
  for (std::thread& other : others) other.join();
  return first_fault;
}

/// Runs each block on a thread of its own, because the blocks wait for each other.
std::optional<Finding> Launch::run_together() {
  const std::uint64_t count = blocks_of(configuration_.grid);
  const BlockQueue queue(configuration_.grid, count, 1);
  GridBarrier barrier(count);
  std::optional<Finding> first_fault;
  const DeviceMemory::Access access;
  std::vector<std::thread> threads;
  for (std::uint64_t number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      use_alternate_signal_stack();
      Block& block = Block::of_this_thread();
      block.use_grid_barrier(&barrier);
      block.start_launch(configuration_, body_, watch_);
      const std::optional<Finding> fault = block.run(queue.index(number), number);
      barrier.leave();
      if (!fault) block.finish_launch();
      const std::lock_guard lock(mutex_);
      static_shared_bytes_ = std::max(static_shared_bytes_, block.static_shared_bytes());
      // Other blocks that wait for a faulty block fail only because of it.
      if (fault && (!first_fault || first_fault->kind == "deadlock")) first_fault = fault;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return first_fault;
}

std::optional<Finding> Launch::run_watched() {
  Findings::instance().start_launch();
  for (Observer* observer : process_observers()) observer->begin_launch(watch_, configuration_);
  std::optional<Finding> fault;
  bool faulty = false;
  BlockWeights weights;
  for (Observer* observer : process_observers()) {
    if (configuration_.cooperative) break;
    // A sample that a fault has ended cannot be continued. A sample with findings is not counted,
    // and the other blocks, which usually have the same faults, would take long to report them for
    // each thread.
    for (auto next = observer->next_of_sample(); !next.empty() && !faulty;) {
      simulated_blocks_ += next.size();
      fault = run(next.size(), &next);
      faulty = fault || Findings::instance().any();
      if (!faulty) next = observer->next_of_sample();
    }
    if (weights.empty() && !faulty) weights = observer->weights();
  }
  if (weights.empty() && !faulty) {
    watch_.sample = false;  // a sample shows less than all blocks do
    simulated_blocks_ = blocks_of(configuration_.grid);
    fault = run_all();
    faulty = fault.has_value();
  }
  keep_results(weights, !faulty);
  Findings::instance().finish_launch();
  return fault;
}

void Launch::keep_results(const BlockWeights& weights, bool complete) {
  KernelProfile profile;
  KernelTrace trace;
  const LaunchResults results = {reinterpret_cast<std::uintptr_t>(body_.run), weights,
                                 watch_.counters && complete ? &profile : nullptr,
                                 watch_.trace ? &trace : nullptr};
  for (Observer* observer : process_observers()) observer->end_launch(results);
  if (results.profile != nullptr) {
    profile.launch = device::record_of(configuration_);
    profile.static_shared_bytes = static_shared_bytes_;
    profile.blocks = blocks_of(configuration_.grid);
    profile.simulated_blocks = simulated_blocks_;
    device::record(std::move(profile));
  }
  if (results.trace != nullptr) {
    trace.launch = device::record_of(configuration_);
    device::record(std::move(trace));
  }
}

// nvcc refuses a file with too many constants.
std::optional<Finding> too_many_constants(const LaunchConfiguration& launch,
                                          const LaunchBody& body) {
  constexpr std::size_t most = 65536;  // on every GPU
  const std::size_t bytes =
      ModuleVariables::of(reinterpret_cast<std::uintptr_t>(body.run)).constant_bytes();
  if (bytes <= most) return std::nullopt;
  return Finding{.kind = "launch",
                 .message = tr("the __constant__ variables of this file take {} bytes, and a GPU "
                               "has {}: keep in constant memory only what all threads read",
                               bytes, most),
                 .file = launch.file,
                 .line = launch.line};
}

/// An access that cannot be made has its own error code.
cudaError_t error_of(const Finding& fault) {
  if (fault.kind == "assert") return cudaErrorAssert;
  return fault.kind == "out-of-bounds" || fault.kind == "host-pointer" ? cudaErrorIllegalAddress
                                                                       : cudaErrorLaunchFailure;
}

void launch(const LaunchConfiguration& configuration, const LaunchBody& body) {
  if (const cudaError_t error = check(configuration); error != cudaSuccess) {
    device::record_refusal(why_refused(configuration), configuration.file, configuration.line);
    device::fail(error);
    return;
  }

  const Watch watch = device::watch_of_next_launch();
  const bool watched = watch.checks || watch.counters || watch.trace;
  if (watched) {
    if (const auto excess = too_many_constants(configuration, body)) {
      device::record(*excess);
      return device::fail_for_ever(cudaErrorLaunchFailure);
    }
  }
  DeviceHeap::instance().begin_launch();
  const StreamOrder::Work under_way(configuration.stream, configuration.kernel);
  Launch launch(configuration, body, watch);
  const std::optional<Finding> fault = watched ? launch.run_watched() : launch.run_all();
  if (fault && fault->kind == beyond_launch_bounds) {
    device::record_refusal(
        tr("{} was not launched: a block of {} has {} threads, and its __launch_bounds__ allow {}",
           configuration.kernel, in_words(configuration.block), blocks_of(configuration.block),
           fault->message),
        configuration.file, configuration.line);
    device::fail(cudaErrorInvalidValue);
    return;
  }
  if (fault) {
    if (!fault->kind.empty()) device::record(*fault);  // otherwise it has been reported already
    return device::fail_for_ever(error_of(*fault));
  }
  device::record(configuration);
}

}  // namespace

void run_grid(const LaunchConfiguration& configuration, const LaunchBody& body) {
  if (device::lasting_error() != cudaSuccess || captures_launch(configuration, body)) return;
  if (RemoteDevice* const remote = RemoteDevice::instance()) {
    return remote->launch(configuration, body);
  }
  if (Block::of_this_thread().runs_device_code()) {
    device::record(Finding{.kind = "launch",
                           .message = tr("a kernel launches another kernel, which the simulator "
                                         "cannot run; launch it from the host"),
                           .file = configuration.file,
                           .line = configuration.line});
    return device::fail_for_ever(cudaErrorLaunchFailure);
  }
  // Threads of the host take turns, because one kernel runs at a time.
  const std::lock_guard lock(StreamOrder::instance().turn());
  launch(configuration, body);
  device::tell_news();
}

}  // namespace tilewise::simt
