#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <vector>

namespace tilewise::split {

/// A kernel's functions, for the run-time (common/simt/runtime/split_kernels.hpp).
struct SplitKernel {
  llvm::Function* run_thread = nullptr;
  llvm::Function* whole_row = nullptr;  ///< of as many threads as a row can have
  llvm::Function* half_row = nullptr;   ///< of half as many
  llvm::Function* any_row = nullptr;
  std::uint64_t state_bytes = 0;
  std::vector<llvm::CallInst*> barriers;  ///< in the order of their numbers
};

/// Has the module tell the run-time of its kernels when it is loaded, and take them back when it is
/// unloaded.
void register_kernels(llvm::Module& module, const std::vector<SplitKernel>& kernels);

}  // namespace tilewise::split
