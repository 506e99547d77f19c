#pragma once

#include <llvm/IR/Function.h>

namespace tilewise::split {

/// A kernel as a function that takes several rows of threads from one barrier to the next, one after
/// another (common/simt/runtime/split_kernels.hpp). What they share is then made once.
/// @param row  of one row, which is inlined
llvm::Function* make_rows_function(llvm::Function& row);

}  // namespace tilewise::split
