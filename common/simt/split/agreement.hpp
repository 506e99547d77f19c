#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace tilewise::split {

/// Copies code that only some threads of a row may reach, such as everything behind `if (col < n)`,
/// if it has loops. In the copy the row goes on as one for as long as its threads agree which way
/// to go. Only rows at the edge of a matrix do not agree.
void let_rows_agree(llvm::Function& thread, llvm::FunctionAnalysisManager& analyses);

/// Whether an instruction is a vote: a thread's condition, as a number.
bool is_vote(const llvm::Instruction& instruction);

/// Whether an instruction is an agreement: the result of the votes of a row's threads.
bool is_agreement(const llvm::Instruction& instruction);

/// The values of an agreement.
enum Agreement : unsigned { all_refuse = 0, threads_part = 1, all_agree = 2 };

}  // namespace tilewise::split
