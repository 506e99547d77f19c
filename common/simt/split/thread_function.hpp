#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <string>

namespace tilewise::split {

/// What the function of one thread is given, by position.
enum ThreadArgument : unsigned {
  context_argument = 0,  ///< where the launch's arguments are
  thread_x = 1,          ///< then threadIdx.y and .z
  first_of_block = 4,    ///< blockIdx, blockDim and gridDim, three each
  thread_arguments = 13
};

/// A kernel as a function of one thread, without calls of the program's own: a copy of
/// run_thread() (tilewise/launch.hpp) into which all it calls is inlined, simplified.
struct ThreadFunction {
  llvm::Function* function = nullptr;  ///< to be erased by whoever is given it
  std::string kernel;                  ///< as a reader of the program knows it
  std::string why_not;                 ///< there is none; empty where there is
};

/// Whether it is an instance of run_thread().
bool runs_a_thread(const llvm::Function& function);

ThreadFunction make_thread_function(llvm::Function& run_thread,
                                    llvm::FunctionAnalysisManager& analyses);

/// A function's own name: "__shfl_down_sync" of "float __shfl_down_sync<float>(unsigned, ...)".
std::string plain_name(const llvm::Function& function);

/// `__syncthreads()`, which stays a call.
bool is_barrier(const llvm::Instruction& instruction);

}  // namespace tilewise::split
