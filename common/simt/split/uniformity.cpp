#include "common/simt/split/uniformity.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include "common/simt/split/agreement.hpp"
#include "common/simt/split/thread_function.hpp"

namespace tilewise::split {

using namespace llvm;

bool tells_of_shared_memory(const CallBase& call) {
  const Function* const callee = call.getCalledFunction();
  return callee != nullptr &&
         (callee->getName().startswith("_ZN8tilewise4simt12enter_sharedEi") ||
          callee->getName().startswith("_ZN8tilewise4simt20enter_dynamic_shared"));
}

Uniformity::Uniformity(Function& function, const PostDominatorTree& post_dominators,
                       Parting parting)
    : post_dominators_(post_dominators) {
  varying_.insert(function.getArg(thread_x));
  while (follow(function, parting)) {
  }
}

bool Uniformity::follow(Function& function, Parting parting) {
  bool is_new = false;
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      if (!varies(&instruction) && (is_partial(&block) || depends_on_thread(instruction))) {
        is_new |= note_varying(&instruction);
      }
    }
    if (parting == Parting::is_left_out) continue;
    if (block.getTerminator()->getNumSuccessors() > 1 && varies(block.getTerminator())) {
      is_new |= part_at(block);
    }
  }
  return is_new;
}

bool Uniformity::depends_on_thread(const Instruction& instruction) const {
  // Each thread has its own local variables, and its own result of an atomic operation.
  if (isa<AllocaInst>(instruction) || instruction.isAtomic()) return true;
  if (is_agreement(instruction)) return false;
  for (const Use& operand : instruction.operands()) {
    if (varies(operand.get())) return true;
  }
  return false;
}

/// Threads part at the end of a block and meet again at its post-dominator.
bool Uniformity::part_at(const BasicBlock& block) {
  const auto* const node = post_dominators_.getNode(&block);
  const auto* const dominator = node == nullptr ? nullptr : node->getIDom();
  const BasicBlock* const join = dominator == nullptr ? nullptr : dominator->getBlock();
  bool is_new = false;
  SmallVector<const BasicBlock*, 16> found(succ_begin(&block), succ_end(&block));
  DenseSet<const BasicBlock*> seen;
  while (!found.empty()) {
    const BasicBlock* const next = found.pop_back_val();
    if (next == join || !seen.insert(next).second) continue;
    const auto known = joins_.find(next);
    if (known == joins_.end()) {
      joins_[next] = join;
      is_new = true;
    } else if (known->second != join && known->second != nullptr) {
      // If there are two joins, the later one counts.
      const bool is_later = join == nullptr || post_dominators_.dominates(join, known->second);
      if (is_later) known->second = join;
      is_new |= is_later;
    }
    found.append(succ_begin(next), succ_end(next));
  }
  if (join == nullptr) return is_new;
  for (const PHINode& phi : join->phis()) is_new |= note_varying(&phi);
  return is_new;
}

}  // namespace tilewise::split
