#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/simt.hpp"

namespace tilewise::simt {

/// A barrier of a split kernel.
struct SplitBarrier {
  const char* file;
  int line;
};

/// Runs a row of threads, neighbours in threadIdx.x, from one barrier to the next.
/// @param context  the launch's arguments
/// @param block    blockIdx, blockDim and gridDim
/// @param state    memory of the row's own
/// @param x, y, z threadIdx of the first thread
/// @param at the barrier behind which the row goes on, counted from 1; 0: it starts
/// @return the barrier that the row has come to; `row_has_returned` if there was none
using RowFunction = std::uint32_t (*)(void* context, const std::uint32_t* block, std::byte* state,
                                      std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                      std::uint32_t threads, std::uint32_t at);

constexpr std::uint32_t row_has_returned = ~0u;
constexpr unsigned whole_row_threads = 16;

/// A kernel as the compiler pass of common/simt/split leaves it.
struct SplitKernel {
  void (*run_thread)(void* context);  ///< the thread function that it replaces
  RowFunction whole_row;              ///< runs a row of `whole_row_threads` threads
  RowFunction half_row;
  RowFunction any_row;        ///< runs a row of fewer threads than a whole row has
  std::uint64_t state_bytes;  ///< size of one row's state
  const SplitBarrier* barriers;
};

/// Returns the split form of a kernel. Returns nothing unless the user runs a whole program
/// himself, because code that is graded must not replace a kernel by anything else.
std::optional<SplitKernel> split_kernel(void (*run_thread)(void* context));

/// Runs a block of a split kernel, row by row, barrier by barrier.
class RowsOfBlock {
 public:
  /// @return whether the launch's blocks are wide enough: rows of a few threads take longer than
  /// fibers
  bool start_launch(const LaunchConfiguration& launch, const LaunchBody& body,
                    const SplitKernel& kernel);

  /// @return what ended the block early; nothing if all threads returned
  std::optional<Finding> run(uint3 index);

 private:
  struct Row {
    RowFunction function;
    uint3 first;
    std::uint32_t threads;
    std::uint32_t at;
  };
  void add_rows(uint3 first, std::uint32_t threads, std::uint32_t of_each, RowFunction function);
  std::byte* state_of(std::size_t row) const { return states_ + row * state_bytes_; }
  Finding stuck(const Row& one, const Row& other) const;

  SplitKernel kernel_{};
  void* context_ = nullptr;
  std::uint32_t block_[9] = {};  ///< blockIdx, blockDim and gridDim
  std::vector<Row> rows_;
  std::size_t state_bytes_ = 0;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t memory_bytes_ = 0;
  std::byte* states_ = nullptr;
};

}  // namespace tilewise::simt
