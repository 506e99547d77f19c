#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>

#include <string>
#include <vector>

#include "common/simt/split/uniformity.hpp"

namespace tilewise::split {

/// How a value of the thread's function comes about where a row of threads is run at a time.
enum class Making {
  at_entry,  ///< of the launch and the block alone: made wherever the row goes on
  once,      ///< once for the row, where it stands
  anew,      ///< by each thread, cheaply, in every loop over the threads that wants it
  by_thread  ///< by each thread, in the loop over the threads where it stands
};

/// A stretch of a block of code between two barriers, or between what is done once for the row.
struct Stage {
  std::vector<llvm::Instruction*> once;       ///< in front of the loop over the row's threads
  std::vector<llvm::Instruction*> by_thread;  ///< in the loop
  llvm::CallInst* barrier = nullptr;          ///< behind it
  llvm::CallInst* agreement = nullptr;        ///< behind it
};

/// What is to become of a thread's function: which of its blocks a row goes through as one, in
/// which stages, what has to be kept across them, and what across barriers.
class Plan {
 public:
  using Values = llvm::SetVector<const llvm::Value*>;

  Plan(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

  /// Why the function cannot be split; empty where it can.
  const std::string& why_not() const { return why_not_; }

  const Uniformity& uniformity() const { return uniformity_; }
  Making making_of(const llvm::Value* value) const;
  const std::vector<Stage>& stages_of(const llvm::BasicBlock* block) const {
    return stages_.find(block)->second;
  }
  /// Whether a value is wanted in other stages than the one that makes it.
  bool is_kept(const llvm::Value* value) const { return kept_.contains(value); }
  bool is_live_into(const llvm::Value* value, const llvm::BasicBlock* block) const {
    return live_in_.find(block)->second.contains(value);
  }
  const Values& live_across(const llvm::CallInst* barrier) const {
    return live_across_.find(barrier)->second;
  }
  /// In the order of their numbers, which begin with 1: 0 is the kernel's start.
  const std::vector<llvm::CallInst*>& barriers() const { return barriers_; }
  /// Where all threads of a row are together again that have come to a partial block.
  const llvm::BasicBlock* end_of(const llvm::BasicBlock* partial) const;

 private:
  void look_for_obstacles(const llvm::TargetLibraryInfo& library);
  std::string obstacle_in(const llvm::Instruction& instruction,
                          const llvm::TargetLibraryInfo& library) const;
  void look_at_atomics(const llvm::LoopInfo& loops);
  void classify();
  bool is_made_at_entry(const llvm::Instruction& instruction) const;
  bool is_made_anew(const llvm::Instruction& instruction) const;
  void make_stages(llvm::AAResults& aliases);
  void note_kept();
  void find_live();
  void use(const llvm::Value* value, Values& live) const;
  void step_back(const llvm::Instruction& instruction, Values& live) const;

  llvm::Function& function_;
  Uniformity uniformity_;
  std::string why_not_;
  llvm::DenseMap<const llvm::Value*, Making> makings_;
  llvm::DenseMap<const llvm::BasicBlock*, std::vector<Stage>> stages_;
  llvm::DenseSet<const llvm::Value*> kept_;
  llvm::DenseMap<const llvm::BasicBlock*, Values> live_in_;
  llvm::DenseMap<const llvm::CallInst*, Values> live_across_;
  std::vector<llvm::CallInst*> barriers_;
};

}  // namespace tilewise::split
