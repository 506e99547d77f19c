#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <string>

namespace tilewise::split {

/// The parameters of the function of one thread, by position.
enum ThreadArgument : unsigned {
  context_argument = 0,  ///< the address of the launch's arguments
  thread_x = 1,          ///< then threadIdx.y and .z
  first_of_block = 4,    ///< blockIdx, blockDim and gridDim, three each
  thread_arguments = 13
};

/// A kernel as a function of one thread without calls of the program's functions: a simplified copy
/// of run_thread() (tilewise/launch.hpp) into which everything that it calls is inlined.
struct ThreadFunction {
  llvm::Function* function = nullptr;  ///< its receiver has to erase it
  std::string kernel;                  ///< the name that a reader of the program knows
  std::string why_not;                 ///< why there is none; empty if there is one
};

/// Whether a function is an instance of run_thread().
bool runs_a_thread(const llvm::Function& function);

ThreadFunction make_thread_function(llvm::Function& run_thread,
                                    llvm::FunctionAnalysisManager& analyses);

/// A function's name alone: "__shfl_down_sync" for "float __shfl_down_sync<float>(unsigned, ...)".
std::string plain_name(const llvm::Function& function);

/// Whether an instruction is `__syncthreads()`, which stays a call.
bool is_barrier(const llvm::Instruction& instruction);

}  // namespace tilewise::split
