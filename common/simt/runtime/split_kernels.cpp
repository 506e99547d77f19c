#include "common/simt/runtime/split_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

namespace {

constexpr std::size_t line_of_cache = 64;

struct Table {
  const SplitKernel* kernels;
  std::uint64_t count;
};

struct Tables {
  std::mutex mutex;
  std::vector<Table> all;
};

Tables& tables() {
  static Tables* const instance = new Tables;  // modules are unloaded late
  return *instance;
}

}  // namespace

// Modules call these when they are loaded and unloaded.
extern "C" void tilewise_simt_note_split_kernels(const SplitKernel* kernels, std::uint64_t count) {
  const std::lock_guard lock(tables().mutex);
  tables().all.push_back({kernels, count});
}

extern "C" void tilewise_simt_forget_split_kernels(const SplitKernel* kernels) {
  const std::lock_guard lock(tables().mutex);
  std::erase_if(tables().all, [&](const Table& table) { return table.kernels == kernels; });
}

std::optional<SplitKernel> split_kernel(void (*run_thread)(void* context)) {
  if (!device::is_whole_program()) return std::nullopt;
  const std::lock_guard lock(tables().mutex);
  for (const Table& table : tables().all) {
    for (std::uint64_t i = 0; i < table.count; ++i) {
      if (table.kernels[i].run_thread == run_thread) return table.kernels[i];
    }
  }
  return std::nullopt;
}

bool RowsOfBlock::start_launch(const LaunchConfiguration& launch, const LaunchBody& body,
                               const SplitKernel& kernel) {
  if (launch.block.x < whole_row_threads / 2) return false;
  kernel_ = kernel;
  context_ = body.context;
  const dim3 block = launch.block, grid = launch.grid;
  const std::uint32_t extents[] = {block.x, block.y, block.z, grid.x, grid.y, grid.z};
  std::copy(std::begin(extents), std::end(extents), block_ + 3);
  rows_.clear();
  for (std::uint32_t z = 0; z < block.z; ++z) {
    for (std::uint32_t y = 0; y < block.y; ++y) {
      constexpr std::uint32_t whole = whole_row_threads, half = whole / 2;
      const std::uint32_t rest = block.x % whole;
      add_rows({0, y, z}, block.x - rest, whole, kernel.whole_row);
      const std::uint32_t halves = rest / half * half;
      add_rows({block.x - rest, y, z}, halves, half, kernel.half_row);
      add_rows({block.x - rest + halves, y, z}, rest - halves, rest - halves, kernel.any_row);
    }
  }
  state_bytes_ = (kernel.state_bytes + line_of_cache - 1) / line_of_cache * line_of_cache;
  const std::size_t bytes = state_bytes_ * rows_.size() + line_of_cache;
  if (bytes > memory_bytes_) {
    memory_ = std::make_unique<std::byte[]>(bytes);
    memory_bytes_ = bytes;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.get());
  states_ = memory_.get() + (line_of_cache - start % line_of_cache) % line_of_cache;
  return true;
}

void RowsOfBlock::add_rows(uint3 first, std::uint32_t threads, std::uint32_t of_each,
                           RowFunction function) {
  for (; threads != 0; threads -= of_each, first.x += of_each) {
    rows_.push_back({function, first, of_each, 0});
  }
}

std::optional<Finding> RowsOfBlock::run(uint3 index) {
  block_[0] = index.x;
  block_[1] = index.y;
  block_[2] = index.z;
  for (Row& row : rows_) row.at = 0;
  for (;;) {
    const Row* waits = nullptr;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      if (row.at == row_has_returned) continue;
      threadIdx = row.first;  // used in messages about what it does
      row.at = row.function(context_, block_, state_of(i), row.first.x, row.first.y, row.first.z,
                            row.threads, row.at);
      if (row.at == row_has_returned) continue;
      if (waits == nullptr) waits = &row;
      if (row.at != waits->at) return stuck(row, *waits);
    }
    if (waits == nullptr) return std::nullopt;
  }
}

/// Reports rows that wait at different barriers in the same way as fibers do.
Finding RowsOfBlock::stuck(const Row& one, const Row& other) const {
  const auto waiting = [&](const Row& row) {
    const SplitBarrier& barrier = kernel_.barriers[row.at - 1];
    return WaitingThread{row.first, "__syncthreads()", {barrier.file, barrier.line}};
  };
  const WaitingThread threads[] = {waiting(one), waiting(other)};
  Finding finding{.kind = "deadlock",
                  .message = tr("a block cannot go on"),
                  .file = threads[0].site.file,
                  .line = threads[0].site.line};
  const StuckBlock block{StuckBlock::Why::divided, {block_[0], block_[1], block_[2]}, threads};
  for (Observer* observer : process_observers()) {
    if (auto said = observer->stuck(block)) finding = std::move(*said);
  }
  return finding;
}

}  // namespace tilewise::simt
