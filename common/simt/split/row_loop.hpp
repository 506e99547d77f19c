#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>

#include <optional>

#include "common/simt/split/row_values.hpp"

namespace tilewise::split {

/// Writes a loop over the threads of a row.
class RowLoop {
 public:
  /// Whether indices of 32 bits that grow by the same step from thread to thread still do so when
  /// they are widened to addresses. They do unless they wrap around within the row.
  enum class Addresses { even, any };

  RowLoop(RowValues& values, const Plan& plan, Addresses addresses);

  /// Copies instructions that each thread runs for itself.
  void copy(const std::vector<llvm::Instruction*>& by_thread);
  /// Adds up the threads' votes.
  llvm::Value* count(const llvm::Value* vote);
  /// Copies the branch at which threads part at the end of a block, and everything up to where they
  /// meet again.
  /// @return the block where they meet; null if there are several
  const llvm::BasicBlock* copy_parted(const llvm::BasicBlock& block);
  /// The same, beginning with an edge.
  const llvm::BasicBlock* copy_parted_from(const llvm::BasicBlock& block,
                                           const llvm::BasicBlock& next);
  /// Stores the values that edges to blocks of all threads hand over to them.
  void hand_over(const llvm::BasicBlock& block, llvm::ArrayRef<llvm::BasicBlock*> edges);

  /// Ends the loop.
  /// @return whether its addresses grow evenly; null if they always do
  llvm::Value* finish();
  /// Makes the loop work on copies of the kept values, so that those of the usual loop can stay in
  /// registers.
  /// @param front block that leads to it
  /// @param exit block to go on at
  void copy_slots(llvm::BasicBlock* front, llvm::BasicBlock* exit);

  llvm::BasicBlock* front() const { return front_; }
  llvm::BasicBlock* first_block() const { return first_; }
  llvm::BasicBlock* exit() const { return exit_; }

 private:
  /// A 32-bit value that is `start` in the row's first thread and grows by `step`.
  struct Progression {
    llvm::Value* start;
    std::int64_t step;
  };

  llvm::Value* value_of(const llvm::Value* value);
  llvm::Value* make_anew(const llvm::Instruction& instruction);
  llvm::Value* load_kept(const llvm::Value* value);
  llvm::Value* slot_of_thread(llvm::IRBuilder<>& builder, const llvm::Value* value);
  llvm::Value* widened(const llvm::Instruction& extension);
  std::optional<Progression> progression_of(const llvm::Value* value);
  std::optional<Progression> unbound(const llvm::Value* value);
  llvm::Value* last_of(const Progression& progression, bool is_signed);
  void demand_no_wrap(const Progression& progression, bool is_signed);
  /// Makes the usual loop run only if a condition holds.
  void demand(llvm::Value* condition);
  void keep(llvm::IRBuilder<>& builder, const llvm::Value* value, llvm::Value* is);
  void copy(const llvm::Instruction& instruction);
  void note_access(llvm::Instruction& instruction);
  const llvm::BasicBlock* copy_blocks(const llvm::BasicBlock& from,
                                      llvm::ArrayRef<const llvm::BasicBlock*> entries);
  llvm::BasicBlock* way_out(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

  RowValues& values_;
  const Plan& plan_;
  Addresses addresses_;
  llvm::BasicBlock* front_;
  llvm::BasicBlock* first_;
  llvm::BasicBlock* latch_;
  llvm::BasicBlock* exit_;
  llvm::PHINode* thread_;     ///< index within the row, 64 bits
  llvm::IRBuilder<> before_;  ///< in the first block, where needed values are loaded
  llvm::IRBuilder<> at_;      ///< where the next copied code goes
  llvm::MDNode* accesses_;    ///< the group of all accesses
  llvm::DenseMap<const llvm::Value*, llvm::Value*> here_;
  llvm::SetVector<const llvm::Value*> touched_;  ///< values whose slots it uses
  llvm::DenseMap<const llvm::Value*, llvm::AllocaInst*> copies_;
  llvm::Value* is_even_ = nullptr;
};

}  // namespace tilewise::split
