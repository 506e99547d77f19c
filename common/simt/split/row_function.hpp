#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>

#include "common/simt/split/plan.hpp"

namespace tilewise::split {

/// The most threads of a row, which have neighbouring values of threadIdx.x and run side by side.
constexpr unsigned row_width = 16;

/// The parameters of a row's function, by position (common/simt/runtime/split_kernels.hpp).
enum RowArgument : unsigned {
  row_context,  ///< as for the thread's function
  row_block,    ///< blockIdx, blockDim, gridDim: nine numbers
  row_state,    ///< the row's own memory, which lasts from one barrier to the next
  row_x,        ///< threadIdx.x of the first thread
  row_y,
  row_z,
  row_threads,  ///< the number of its threads
  row_at,       ///< the barrier behind which it goes on; 0: it starts
  row_arguments
};

/// A kernel as a function that runs a row of threads from one barrier to the next. It returns the
/// number of that barrier, or a number with all bits set if the threads have returned.
struct RowFunction {
  llvm::Function* function = nullptr;
  std::uint64_t state_bytes = 0;
  std::string why_not;  ///< empty if there is a function
};

RowFunction make_row_function(llvm::Function& thread, const Plan& plan);

/// Mark the branches at the end of loops over a row's threads: the loops to vectorise, and those in
/// which an address may wrap around.
constexpr const char* row_loop_mark = "tilewise.row";
constexpr const char* wrapping_loop_mark = "tilewise.wrapping_row";

}  // namespace tilewise::split
