#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace tilewise::split {

/// Takes apart what moves on by the same step in every pass of a loop: `a += tile` becomes a start,
/// which each thread has of its own, and a way from there, which the threads share where the step
/// is the same for all. Addresses of neighbours then stay neighbours as the compiler sees it.
void take_inductions_apart(llvm::Function& thread, llvm::FunctionAnalysisManager& analyses);

}  // namespace tilewise::split
