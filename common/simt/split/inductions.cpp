#include "common/simt/split/inductions.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

namespace tilewise::split {

using namespace llvm;

namespace {

/// A value at the beginning of each pass of a loop, and how it gets to its value in the next one.
struct Induction {
  PHINode* phi;
  unsigned outside;                    ///< index of the value with which it begins
  SmallVector<Instruction*, 4> steps;  ///< in order, each from the one before
  Type* element = nullptr;             ///< the type that a pointer moves on by; null for a number
};

/// The step of an instruction that moves `from` on; null if it does something else.
Value* step_of(const Instruction& instruction, const Value* from, Type*& element) {
  if (const auto* place = dyn_cast<GetElementPtrInst>(&instruction)) {
    if (place->getPointerOperand() != from || place->getNumIndices() != 1) return nullptr;
    if (!place->getOperand(1)->getType()->isIntegerTy(64)) return nullptr;
    if (element != nullptr && element != place->getSourceElementType()) return nullptr;
    element = place->getSourceElementType();
    return place->getOperand(1);
  }
  if (instruction.getOpcode() != Instruction::Add) return nullptr;
  if (instruction.getOperand(0) == from) return instruction.getOperand(1);
  return instruction.getOperand(1) == from ? instruction.getOperand(0) : nullptr;
}

Value* predecessor_in_chain(const Instruction& instruction) {
  const bool steps =
      isa<GetElementPtrInst>(instruction) || instruction.getOpcode() == Instruction::Add;
  return steps ? instruction.getOperand(0) : nullptr;
}

/// @return whether there are steps, none of which changes from pass to pass
bool find_steps(Loop& loop, Induction& induction) {
  PHINode& phi = *induction.phi;
  Value* at = phi.getIncomingValue(1 - induction.outside);
  SmallVector<Instruction*, 4> backwards;
  constexpr std::size_t most_steps = 16;
  while (at != &phi) {
    auto* const instruction = dyn_cast<Instruction>(at);
    if (instruction == nullptr || !loop.contains(instruction)) return false;
    if (backwards.size() == most_steps) return false;
    backwards.push_back(instruction);
    at = predecessor_in_chain(*instruction);
    if (at == nullptr) return false;
  }
  induction.steps.assign(backwards.rbegin(), backwards.rend());
  const Value* from = &phi;
  for (const Instruction* instruction : induction.steps) {
    Value* const step = step_of(*instruction, from, induction.element);
    bool is_moved = false;
    if (step == nullptr || !loop.makeLoopInvariant(step, is_moved)) return false;
    from = instruction;
  }
  return !induction.steps.empty() && (induction.element != nullptr) == phi.getType()->isPointerTy();
}

void take_apart(const Induction& induction) {
  PHINode& phi = *induction.phi;
  Value* const start = phi.getIncomingValue(induction.outside);
  Type* const number =
      induction.element != nullptr ? Type::getInt64Ty(phi.getContext()) : phi.getType();
  PHINode* const way = PHINode::Create(number, 2, "way", &phi);
  const auto moved = [&](IRBuilder<>& builder, Value* by) -> Value* {
    return induction.element != nullptr ? builder.CreateGEP(induction.element, start, by)
                                        : builder.CreateAdd(start, by);
  };
  Value* gone = way;
  const Value* from = &phi;
  SmallVector<std::pair<Instruction*, Value*>, 4> replacements;
  for (Instruction* instruction : induction.steps) {
    IRBuilder<> builder(instruction);
    Type* element = induction.element;
    gone = builder.CreateAdd(gone, step_of(*instruction, from, element));
    replacements.emplace_back(instruction, moved(builder, gone));
    from = instruction;
  }
  way->addIncoming(ConstantInt::get(number, 0), phi.getIncomingBlock(induction.outside));
  way->addIncoming(gone, phi.getIncomingBlock(1 - induction.outside));
  IRBuilder<> first(&*phi.getParent()->getFirstInsertionPt());
  replacements.emplace_back(&phi, moved(first, way));
  for (const auto& [old, replacement] : replacements) old->replaceAllUsesWith(replacement);
  for (auto old = replacements.rbegin(); old != replacements.rend(); ++old) {
    if (!isa<PHINode>(old->first)) old->first->eraseFromParent();
  }
  phi.eraseFromParent();
}

}  // namespace

void take_inductions_apart(Function& thread, FunctionAnalysisManager& analyses) {
  FunctionPassManager passes;
  passes.addPass(LoopSimplifyPass());  // gives each loop a block in front of it
  passes.run(thread, analyses);
  analyses.invalidate(thread, PreservedAnalyses::none());
  LoopInfo& loops = analyses.getResult<LoopAnalysis>(thread);
  SmallVector<Induction, 8> inductions;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    for (PHINode& phi : loop->getHeader()->phis()) {
      if (phi.getNumIncomingValues() != 2) continue;
      const bool first_is_outside = !loop->contains(phi.getIncomingBlock(0));
      if (first_is_outside == !loop->contains(phi.getIncomingBlock(1))) continue;
      Induction induction{&phi, first_is_outside ? 0u : 1u, {}};
      // A value that begins at a constant is a distance already.
      if (isa<Constant>(phi.getIncomingValue(induction.outside))) continue;
      if (find_steps(*loop, induction)) inductions.push_back(induction);
    }
  }
  for (const Induction& induction : inductions) take_apart(induction);
  analyses.invalidate(thread, PreservedAnalyses::none());
}

}  // namespace tilewise::split
