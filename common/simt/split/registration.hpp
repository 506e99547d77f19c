#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <vector>

namespace tilewise::split {

/// A kernel's functions, for the run-time (common/simt/runtime/split_kernels.hpp).
struct SplitKernel {
  llvm::Function* run_thread = nullptr;
  llvm::Function* whole_row = nullptr;  ///< for rows of as many threads as possible
  llvm::Function* half_row = nullptr;   ///< for rows of half as many
  llvm::Function* any_row = nullptr;
  std::uint64_t state_bytes = 0;
  std::vector<llvm::CallInst*> barriers;  ///< in the order of their numbers
};

/// Makes the module report its kernels to the run-time when it is loaded, and withdraw them when it
/// is unloaded.
void register_kernels(llvm::Module& module, const std::vector<SplitKernel>& kernels);

}  // namespace tilewise::split
