#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include "common/simt/split/plan.hpp"

namespace tilewise::split {

/// The values of a row's function: those that its threads share, and the places where values are
/// kept from one stage to the next and, in the row's memory, from one barrier to the next.
class RowValues {
 public:
  enum class Memory { forget, keep };

  RowValues(llvm::Function& thread, const Plan& plan, llvm::Function* row);

  llvm::Function& row() const { return *row_; }
  llvm::BasicBlock* entry() const { return entry_; }
  /// The place where the next code that runs once for the row goes.
  llvm::IRBuilder<>& at() { return at_; }
  /// @param memory  whether values that were computed before are still available there
  void go_on_at(llvm::BasicBlock* block, Memory memory = Memory::forget);
  void go_on_before(llvm::Instruction* instruction) { at_.SetInsertPoint(instruction); }

  /// A value that the threads share.
  llvm::Value* shared(const llvm::Value* value);
  void make_once(const llvm::Instruction& instruction);
  /// The same for a value that is computed in another way.
  void note(const llvm::Instruction* instruction, llvm::Value* is);
  /// Notes the new value of a shared value that several stages use.
  void keep(const llvm::Value* value, llvm::Value* is);

  /// The place where a value is kept: one place, or one for each thread of the row.
  llvm::AllocaInst* slot(const llvm::Value* value);
  /// The offset of a local variable in the row's memory: the first thread's, with the others'
  /// behind it.
  std::uint64_t place_of_local(const llvm::AllocaInst* local);
  /// The distance from one thread's variable to the next one's.
  std::uint64_t bytes_of_local(const llvm::AllocaInst* local) const;
  std::uint64_t bytes_of(llvm::Type* type) const;

  void save(const llvm::Value* value);
  void restore(const llvm::Value* value);
  std::uint64_t state_bytes() const { return state_bytes_; }

 private:
  void make_at_entry();
  llvm::Value* place_in_state(const llvm::Value* value);
  std::uint64_t place(const llvm::Value* value, std::uint64_t bytes);

  llvm::Function& thread_;
  const Plan& plan_;
  llvm::Function* row_;
  llvm::BasicBlock* entry_;
  llvm::IRBuilder<> at_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> at_entry_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> at_hand_;
  llvm::DenseMap<const llvm::Value*, llvm::AllocaInst*> slots_;
  llvm::DenseMap<const llvm::Value*, std::uint64_t> places_;
  std::uint64_t state_bytes_ = 0;
};

/// The type in which a value is kept: a truth value is a byte.
llvm::Type* kept_type(llvm::Type* type);
llvm::Value* to_kept(llvm::IRBuilder<>& builder, llvm::Value* value);
llvm::Value* from_kept(llvm::IRBuilder<>& builder, llvm::Value* kept, llvm::Type* type);

}  // namespace tilewise::split
