#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tilewise::split {

/// Splits values that move on by the same step in every pass of a loop: `a += tile` becomes a
/// start, which each thread has of its own, and a distance from there, which the threads share if
/// the step is the same for all. The compiler then sees that addresses of neighbouring threads stay
/// neighbours.
void take_inductions_apart(llvm::Function& thread, llvm::FunctionAnalysisManager& analyses);

}  // namespace tilewise::split
