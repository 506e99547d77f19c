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

/// How a value of the thread's function is computed when a row of threads runs at a time.
enum class Making {
  at_entry,  ///< depends only on launch and block: computed wherever the row goes on
  once,      ///< once for the row, in its place
  anew,      ///< by each thread, cheaply, in every loop over the threads that needs it
  by_thread  ///< by each thread, in the loop over the threads at its place
};

/// A part of a basic block between two barriers, or between code that runs once for the row.
struct Stage {
  std::vector<llvm::Instruction*> once;       ///< run in front of the loop over the row's threads
  std::vector<llvm::Instruction*> by_thread;  ///< run in the loop
  llvm::CallInst* barrier = nullptr;          ///< behind the loop
  llvm::CallInst* agreement = nullptr;        ///< behind the loop
};

/// Plans how to split a thread's function: which of its blocks a row runs through as one, and in
/// which stages; which values have to be kept across stages, and which across barriers.
class Plan {
 public:
  using Values = llvm::SetVector<const llvm::Value*>;

  Plan(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

  /// Why the function cannot be split; empty if it can.
  const std::string& why_not() const { return why_not_; }

  const Uniformity& uniformity() const { return uniformity_; }
  Making making_of(const llvm::Value* value) const;
  const std::vector<Stage>& stages_of(const llvm::BasicBlock* block) const {
    return stages_.find(block)->second;
  }
  /// Whether a value is needed in other stages than the one that computes it.
  bool is_kept(const llvm::Value* value) const { return kept_.contains(value); }
  bool is_live_into(const llvm::Value* value, const llvm::BasicBlock* block) const {
    return live_in_.find(block)->second.contains(value);
  }
  const Values& live_across(const llvm::CallInst* barrier) const {
    return live_across_.find(barrier)->second;
  }
  /// The barriers in the order of their numbers, which begin with 1: 0 is the kernel's start.
  const std::vector<llvm::CallInst*>& barriers() const { return barriers_; }
  /// The block where all threads of a row meet again that have reached a partial block.
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
