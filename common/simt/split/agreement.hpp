#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace tilewise::split {

/// Code that only some threads of a row may come to, such as all behind `if (col < n)`, is copied:
/// in the copy the row goes on as one for as long as its threads agree which way to go, which only
/// rows at the edge of a matrix do not. Done where such code has loops.
void let_rows_agree(llvm::Function& thread, llvm::FunctionAnalysisManager& analyses);

/// A thread's condition, as a number.
bool is_vote(const llvm::Instruction& instruction);

/// What a row makes of its threads' votes.
bool is_agreement(const llvm::Instruction& instruction);

/// What it returns.
enum Agreement : unsigned { all_refuse = 0, threads_part = 1, all_agree = 2 };

}  // namespace tilewise::split
