#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/thread_pool.hpp"

namespace tilewise::simt {

namespace {

// Limits that depend on the compute capability alone (Programming Guide, "Technical
// Specifications per Compute Capability").
constexpr unsigned largest_block_z = 64;
constexpr unsigned largest_grid_yz = 65535;
unsigned largest_grid_x(const core::GpuProfile& gpu) {
  return gpu.compute_major >= 3 ? 2147483647u : 65535u;
}

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
  if (grid.x > largest_grid_x(gpu) || grid.y > largest_grid_yz || grid.z > largest_grid_yz) {
    return cudaErrorInvalidConfiguration;
  }
  if (launch.dynamic_shared_bytes > device::dynamic_shared_limit()) return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// Hands out the blocks of a grid, a run of neighbours at a time.
class BlockQueue {
 public:
  BlockQueue(dim3 grid, int takers)
      : grid_(grid),
        count_(std::uint64_t{grid.x} * grid.y * grid.z),
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

}  // namespace

void run_grid(const LaunchConfiguration& launch, void (*body)(void*), void* context) {
  if (device::lasting_error() != cudaSuccess) return;
  if (Block::of_this_thread().runs_device_code()) {
    device::record(Diagnostic{"launch",
                              "a kernel launches another kernel, which the simulator "
                              "cannot run; launch it from the host",
                              launch.file, launch.line});
    return device::fail_for_ever(cudaErrorLaunchFailure);
  }
  if (const cudaError_t error = check(launch); error != cudaSuccess) {
    device::fail(error);
    return;
  }

  ThreadPool& pool = ThreadPool::instance();
  BlockQueue queue(launch.grid, pool.size());
  std::atomic<bool> broken{false};
  const std::function<void()> work = [&] {
    Block& block = Block::of_this_thread();
    block.start_launch(launch, body, context);
    for (auto run = queue.take(); run.begin < run.end; run = queue.take()) {
      for (std::uint64_t i = run.begin; i < run.end; ++i) {
        const std::optional<Diagnostic> fault = block.run(queue.index(i));
        if (!fault) continue;
        queue.close();
        // Other blocks may have come to the same; one report tells it.
        if (!broken.exchange(true)) device::record(*fault);
        return;
      }
    }
  };
  {
    const DeviceMemory::Access access;
    pool.run(work);
  }
  if (broken) return device::fail_for_ever(cudaErrorLaunchFailure);
  device::record(launch);
}

}  // namespace tilewise::simt
