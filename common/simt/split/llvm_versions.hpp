#pragma once

#include <llvm/Config/llvm-config.h>
#include <llvm/Transforms/Scalar/SROA.h>

namespace tilewise::split {

/// Passes whose constructors differ from version to version of LLVM.
inline llvm::SROAPass make_sroa() {
#if LLVM_VERSION_MAJOR >= 16
  return llvm::SROAPass(llvm::SROAOptions::ModifyCFG);
#else
  return llvm::SROAPass();
#endif
}

}  // namespace tilewise::split
