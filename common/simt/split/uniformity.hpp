#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace tilewise::split {

/// What the threads of one row share, which differ in threadIdx.x alone: values that are the same
/// for all of them, and blocks of code that all of them come to together.
///
/// Threads of a row go from block to block side by side. What is loaded from an address that they
/// share is shared, since kernels have no races between two barriers.
class Uniformity {
 public:
  /// Where threads' conditions differ: they part there, or what would be if they never did.
  enum class Parting { happens, is_left_out };

  Uniformity(llvm::Function& function, const llvm::PostDominatorTree& post_dominators,
             Parting parting = Parting::happens);

  /// Whether a value may differ from thread to thread.
  bool varies(const llvm::Value* value) const { return varying_.contains(value); }

  /// Whether some threads of a row may come to a block without the others.
  bool is_partial(const llvm::BasicBlock* block) const { return joins_.count(block) != 0; }

  /// Where all threads are together again that have come to a partial block; null if nowhere.
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

/// Functions of the run-time that a block's threads are all told the same by.
bool tells_of_shared_memory(const llvm::CallBase& call);

}  // namespace tilewise::split
