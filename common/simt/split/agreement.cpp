#include "common/simt/split/agreement.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "common/simt/split/llvm_versions.hpp"
#include "common/simt/split/thread_function.hpp"
#include "common/simt/split/uniformity.hpp"

namespace tilewise::split {

using namespace llvm;

namespace {

constexpr const char* vote_name = "tilewise_vote";
constexpr const char* agreement_name = "tilewise_agreement";

/// Limits of a copy: every place where threads part copies the code behind it once more.
constexpr std::size_t most_instructions = 600;
constexpr std::size_t most_partings = 6;

using Blocks = SetVector<BasicBlock*>;

bool calls(const Instruction& instruction, const char* name) {
  const auto* const call = dyn_cast<CallInst>(&instruction);
  return call != nullptr && call->getCalledFunction() != nullptr &&
         call->getCalledFunction()->getName() == name;
}

FunctionCallee function_of_row(Module& module, const char* name, Type* argument) {
  LLVMContext& context = module.getContext();
  FunctionCallee callee = module.getOrInsertFunction(
      name, FunctionType::get(Type::getInt8Ty(context), {argument}, false));
  auto* const function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();
  return callee;
}

/// The blocks that only some threads reach, grouped by the block where these meet the others again.
MapVector<const BasicBlock*, Blocks> parts_of(Function& thread, const Uniformity& uniformity) {
  MapVector<const BasicBlock*, Blocks> parts;
  for (BasicBlock& block : thread) {
    if (!uniformity.is_partial(&block)) continue;
    const BasicBlock* end = uniformity.join_of(&block);
    while (end != nullptr && uniformity.is_partial(end)) end = uniformity.join_of(end);
    if (end != nullptr) parts[end].insert(&block);
  }
  return parts;
}

/// @param agreed  what varies if threads agree
bool is_worth_a_copy(const Blocks& part, const LoopInfo& loops, const Uniformity& agreed) {
  std::size_t instructions = 0, partings = 0;
  bool has_loop = false;
  for (const BasicBlock* block : part) {
    instructions += block->size();
    partings += agreed.varies(block->getTerminator());
    has_loop |= loops.isLoopHeader(block);
    for (const Instruction& instruction : *block) {
      if (instruction.isAtomic() || is_barrier(instruction)) return false;
    }
  }
  return has_loop && instructions <= most_instructions && partings <= most_partings;
}

/// Moves values that go from block to block through memory, until everything is copied.
void keep_in_memory(const Blocks& part, BasicBlock& end) {
  SmallVector<PHINode*, 16> phis;
  for (BasicBlock* block : part) {
    for (PHINode& phi : block->phis()) phis.push_back(&phi);
  }
  for (PHINode& phi : end.phis()) phis.push_back(&phi);
  for (PHINode* phi : phis) DemotePHIToStack(phi);
  SmallVector<Instruction*, 64> values;
  for (BasicBlock* block : part) {
    for (Instruction& instruction : *block) {
      const bool leaves = std::any_of(
          instruction.user_begin(), instruction.user_end(),
          [&](const User* user) { return cast<Instruction>(user)->getParent() != block; });
      if (leaves) values.push_back(&instruction);
    }
  }
  for (Instruction* value : values) DemoteRegToStack(*value);
}

/// Makes the row go on as one at a branch if its threads agree, and part otherwise.
void ask_at(BranchInst& branch, const ValueToValueMapTy& copies) {
  BasicBlock& block = *branch.getParent();
  Module& module = *block.getModule();
  LLVMContext& context = module.getContext();
  const auto as_one = [&](BasicBlock* next) {
    const auto copy = copies.find(next);
    return copy == copies.end() ? next : cast<BasicBlock>(copy->second);
  };
  BasicBlock* const parting = BasicBlock::Create(context, "parting", block.getParent());
  BasicBlock* const yes = branch.getSuccessor(0);
  BasicBlock* const no = branch.getSuccessor(1);
  IRBuilder<> builder(&branch);
  Value* const condition = branch.getCondition();
  Value* const vote =
      builder.CreateCall(function_of_row(module, vote_name, builder.getInt1Ty()), {condition});
  Value* const agreement =
      builder.CreateCall(function_of_row(module, agreement_name, builder.getInt8Ty()), {vote});
  SwitchInst* const ways = builder.CreateSwitch(agreement, parting, 2);
  ways->addCase(builder.getInt8(all_agree), as_one(yes));
  ways->addCase(builder.getInt8(all_refuse), as_one(no));
  branch.removeFromParent();
  IRBuilder<>(parting).Insert(&branch);
}

void copy_part(const Blocks& part, BasicBlock& end, const Uniformity& agreed) {
  // The blocks from which the row enters; from now on they lead to the copies.
  SetVector<BasicBlock*> before;
  for (BasicBlock* block : part) {
    for (BasicBlock* other : predecessors(block)) {
      if (!part.contains(other)) before.insert(other);
    }
  }
  keep_in_memory(part, end);
  ValueToValueMapTy copies;
  Function& thread = *end.getParent();
  SmallVector<BasicBlock*, 16> made;
  for (BasicBlock* block : part) {
    copies[block] = CloneBasicBlock(block, copies, ".as_one", &thread);
    made.push_back(cast<BasicBlock>(copies[block]));
  }
  remapInstructionsInBlocks(made, copies);
  // Copies of branches at which threads may part lead back to the original code, where each thread
  // goes its own way.
  for (BasicBlock* block : part) {
    Instruction* const original = block->getTerminator();
    if (!agreed.varies(original)) continue;
    Instruction* const copy = cast<BasicBlock>(copies[block])->getTerminator();
    for (unsigned i = 0; i < copy->getNumSuccessors(); ++i) {
      copy->setSuccessor(i, original->getSuccessor(i));
    }
    auto* const branch = dyn_cast<BranchInst>(copy);
    if (branch != nullptr && branch->isConditional()) ask_at(*branch, copies);
  }
  for (BasicBlock* block : before) {
    Instruction* const last = block->getTerminator();
    auto* const branch = dyn_cast<BranchInst>(last);
    if (agreed.varies(last)) {
      if (branch != nullptr && branch->isConditional()) ask_at(*branch, copies);
      continue;
    }
    for (unsigned i = 0; i < last->getNumSuccessors(); ++i) {
      const auto copy = copies.find(last->getSuccessor(i));
      if (copy != copies.end()) last->setSuccessor(i, cast<BasicBlock>(copy->second));
    }
  }
}

}  // namespace

bool is_vote(const Instruction& instruction) { return calls(instruction, vote_name); }
bool is_agreement(const Instruction& instruction) { return calls(instruction, agreement_name); }

void let_rows_agree(Function& thread, FunctionAnalysisManager& analyses) {
  const PostDominatorTree& post_dominators = analyses.getResult<PostDominatorTreeAnalysis>(thread);
  const Uniformity uniformity(thread, post_dominators);
  const Uniformity agreed(thread, post_dominators, Uniformity::Parting::is_left_out);
  const LoopInfo& loops = analyses.getResult<LoopAnalysis>(thread);
  SmallVector<std::pair<BasicBlock*, Blocks>, 4> worth;
  for (auto& [end, part] : parts_of(thread, uniformity)) {
    if (!is_worth_a_copy(part, loops, agreed)) continue;
    worth.emplace_back(const_cast<BasicBlock*>(end), part);
  }
  for (auto& [end, part] : worth) copy_part(part, *end, agreed);
  if (worth.empty()) return;
  removeUnreachableBlocks(thread);
  analyses.invalidate(thread, PreservedAnalyses::none());
  FunctionPassManager passes;
  passes.addPass(make_sroa());
  passes.addPass(EarlyCSEPass(true));
  passes.run(thread, analyses);
  analyses.invalidate(thread, PreservedAnalyses::none());
}

}  // namespace tilewise::split
