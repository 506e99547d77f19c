#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace tilewise::split {

/// Finds what the threads of one row share; they differ only in threadIdx.x. Threads may share
/// values, and blocks of code that all of them reach together.
///
/// The threads of a row go from block to block side by side. A value that is loaded from a shared
/// address is shared, too, since kernels have no races between two barriers.
class Uniformity {
 public:
  /// What to assume if threads' conditions differ: that the threads part there, or that they never
  /// part.
  enum class Parting { happens, is_left_out };

  Uniformity(llvm::Function& function, const llvm::PostDominatorTree& post_dominators,
             Parting parting = Parting::happens);

  /// Whether a value may differ from thread to thread.
  bool varies(const llvm::Value* value) const { return varying_.contains(value); }

  /// Whether some threads of a row may reach a block without the others.
  bool is_partial(const llvm::BasicBlock* block) const { return joins_.count(block) != 0; }

  /// The block where all threads meet again that have reached a partial block; null if there is
  /// none.
  const llvm::BasicBlock* join_of(const llvm::BasicBlock* partial) const {
    return joins_.lookup(partial);
  }

 private:
  bool note_varying(const llvm::Value* value) { return varying_.insert(value).second; }
  bool follow(llvm::Function& function, Parting parting);
  bool depends_on_thread(const llvm::Instruction& instruction) const;
  bool part_at(const llvm::BasicBlock& block);

  const llvm::PostDominatorTree& post_dominators_;
  llvm::DenseSet<const llvm::Value*> varying_;
  llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*> joins_;
};

/// Whether a call is of a run-time function that returns the same to all threads of a block.
bool tells_of_shared_memory(const llvm::CallBase& call);

}  // namespace tilewise::split
