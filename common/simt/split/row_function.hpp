#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>

#include "common/simt/split/plan.hpp"

namespace tilewise::split {

/// Threads that a row has at most: those of neighbouring threadIdx.x that are run side by side.
constexpr unsigned row_width = 16;

/// What the function of a row is given, by position (common/simt/runtime/split_kernels.hpp).
enum RowArgument : unsigned {
  row_context,  ///< as the thread's function
  row_block,    ///< blockIdx, blockDim, gridDim: nine numbers
  row_state,    ///< memory of the row's own, which lasts from one barrier to the next
  row_x,        ///< of the first thread
  row_y,
  row_z,
  row_threads,  ///< how many it has
  row_at,       ///< the barrier that it goes on behind; 0: it starts
  row_arguments
};

/// A kernel as a function that takes a row of threads from one barrier to the next, and returns
/// which it is; all bits set where its threads have returned.
struct RowFunction {
  llvm::Function* function = nullptr;
  std::uint64_t state_bytes = 0;
  std::string why_not;  ///< empty where there is one
};

RowFunction make_row_function(llvm::Function& thread, const Plan& plan);

/// Marks the branches at the end of loops over a row's threads: those to vectorise, and those in
/// which an address may wrap around.
constexpr const char* row_loop_mark = "tilewise.row";
constexpr const char* wrapping_loop_mark = "tilewise.wrapping_row";

}  // namespace tilewise::split
