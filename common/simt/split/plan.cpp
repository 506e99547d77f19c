#include "common/simt/split/plan.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "common/simt/device_functions.hpp"
#include "common/simt/split/agreement.hpp"
#include "common/simt/split/thread_function.hpp"

namespace tilewise::split {

using namespace llvm;

namespace {

/// Whether a function belongs to <math.h>, whose functions the host has, too.
bool is_mathematics(const Function& function) {
  const StringRef name = function.getName();
  const auto is = [&](std::string_view known) {
    const StringRef base(known.data(), known.size());
    return name == base ||
           (name.size() == base.size() + 1 && name.startswith(base) && name.back() == 'f');
  };
  // These also write a result to memory.
  for (const char* by_pointer : {"modf", "frexp", "remquo", "sincos", "nan", "lgamma"}) {
    if (is(by_pointer)) return false;
  }
  return std::any_of(simt::device_mathematics.begin(), simt::device_mathematics.end(), is);
}

bool is_order_free(const Instruction& instruction) {
  const auto* const update = dyn_cast<AtomicRMWInst>(&instruction);
  if (update == nullptr || !update->use_empty()) return false;
  switch (update->getOperation()) {
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor:
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin:
      return true;
    default:
      return false;
  }
}

bool is_volatile(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return load->isVolatile();
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return store->isVolatile();
  return false;
}

std::string at_line(const CallInst& barrier) {
  const auto* const line = dyn_cast<ConstantInt>(barrier.getArgOperand(1));
  return line == nullptr ? "" : " in line " + std::to_string(line->getSExtValue());
}

/// Whether a load must stay behind one of the stores in `before`.
bool may_depend_on(const Instruction& load, const std::vector<Instruction*>& before,
                   AAResults& aliases) {
  if (!load.mayReadFromMemory() || !isa<LoadInst>(load)) return false;
  const MemoryLocation location = MemoryLocation::get(&cast<LoadInst>(load));
  for (const Instruction* other : before) {
    if (other->mayWriteToMemory() && isModSet(aliases.getModRefInfo(other, location))) return true;
  }
  return false;
}

}  // namespace

Plan::Plan(Function& function, FunctionAnalysisManager& analyses)
    : function_(function),
      uniformity_(function, analyses.getResult<PostDominatorTreeAnalysis>(function)) {
  look_for_obstacles(analyses.getResult<TargetLibraryAnalysis>(function));
  if (why_not_.empty()) look_at_atomics(analyses.getResult<LoopAnalysis>(function));
  if (!why_not_.empty()) return;
  classify();
  make_stages(analyses.getResult<AAManager>(function));
  note_kept();
  find_live();
}

const BasicBlock* Plan::end_of(const BasicBlock* partial) const {
  const BasicBlock* block = uniformity_.join_of(partial);
  while (block != nullptr && uniformity_.is_partial(block)) block = uniformity_.join_of(block);
  return block;
}

Making Plan::making_of(const Value* value) const {
  const auto known = makings_.find(value);
  if (known != makings_.end()) return known->second;
  // Arguments and constants have no entry.
  return uniformity_.varies(value) ? Making::anew : Making::at_entry;
}

std::string Plan::obstacle_in(const Instruction& instruction,
                              const TargetLibraryInfo& library) const {
  if (is_volatile(instruction)) return "it has volatile variables";
  if (const auto* local = dyn_cast<AllocaInst>(&instruction)) {
    return local->isStaticAlloca() ? "" : "it has a variable of a size that is not constant";
  }
  if (uniformity_.is_partial(instruction.getParent()) && instruction.isTerminator() &&
      end_of(instruction.getParent()) == nullptr) {
    return "threads part and do not meet again";
  }
  if (isa<UnreachableInst>(instruction)) return "it ends without returning";
  const auto* const call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr) return "";
  if (!isa<CallInst>(call)) return "it has exceptions or jumps out of assembly";
  if (call->isInlineAsm()) return "it has assembly";
  const Function* const callee = call->getCalledFunction();
  if (callee == nullptr) return "it calls by a pointer";
  if (is_barrier(instruction)) {
    if (!uniformity_.is_partial(instruction.getParent())) return "";
    return "the barrier" + at_line(cast<CallInst>(instruction)) +
           " depends on more than blockIdx, threadIdx.y and the kernel's arguments";
  }
  LibFunc known;
  const bool is_harmless = callee->isIntrinsic() || is_vote(instruction) ||
                           is_agreement(instruction) || tells_of_shared_memory(*call) ||
                           is_mathematics(*callee) ||
                           (library.getLibFunc(*callee, known) && callee->doesNotAccessMemory());
  return is_harmless ? "" : "it calls " + plain_name(*callee) + "()";
}

void Plan::look_for_obstacles(const TargetLibraryInfo& library) {
  for (Instruction& instruction : instructions(function_)) {
    why_not_ = obstacle_in(instruction, library);
    if (!why_not_.empty()) return;
    if (is_barrier(instruction)) barriers_.push_back(&cast<CallInst>(instruction));
  }
}

/// Threads of a block come to an atomic operation in the same order as fibers do, unless a row goes
/// through a loop side by side or there are two such operations.
void Plan::look_at_atomics(const LoopInfo& loops) {
  unsigned ordered = 0;
  for (const Instruction& instruction : instructions(function_)) {
    if (!isa<AtomicRMWInst>(instruction) && !isa<AtomicCmpXchgInst>(instruction)) continue;
    if (is_order_free(instruction)) continue;
    ++ordered;
    for (const Loop* loop = loops.getLoopFor(instruction.getParent()); loop != nullptr;
         loop = loop->getParentLoop()) {
      if (!uniformity_.is_partial(loop->getHeader())) ++ordered;
    }
  }
  if (ordered > 1) why_not_ = "its result depends on the order of atomic operations";
}

bool Plan::is_made_at_entry(const Instruction& instruction) const {
  if (uniformity_.varies(&instruction) || isa<PHINode>(instruction)) return false;
  const auto* const load = dyn_cast<LoadInst>(&instruction);
  if (load != nullptr) {
    // The launch's arguments never change.
    const Value* base = load->getPointerOperand()->stripInBoundsConstantOffsets();
    return base == function_.getArg(context_argument);
  }
  if (is_agreement(instruction) || instruction.mayReadOrWriteMemory() ||
      !isSafeToSpeculativelyExecute(&instruction)) {
    return false;
  }
  return std::all_of(instruction.op_begin(), instruction.op_end(), [&](const Use& operand) {
    return !isa<Instruction>(operand.get()) || making_of(operand.get()) == Making::at_entry;
  });
}

bool Plan::is_made_anew(const Instruction& instruction) const {
  if (!uniformity_.varies(&instruction)) return false;
  if (isa<AllocaInst>(instruction)) return true;
  const bool is_cheap = isa<GetElementPtrInst>(instruction) || isa<ICmpInst>(instruction) ||
                        isa<BitCastInst>(instruction) || isa<MinMaxIntrinsic>(instruction) ||
                        ((isa<BinaryOperator>(instruction) || isa<SelectInst>(instruction) ||
                          isa<CastInst>(instruction)) &&
                         instruction.getType()->isIntegerTy());
  if (!is_cheap || !isSafeToSpeculativelyExecute(&instruction)) return false;
  return std::all_of(instruction.op_begin(), instruction.op_end(), [&](const Use& operand) {
    return !isa<Instruction>(operand.get()) || making_of(operand.get()) != Making::by_thread;
  });
}

void Plan::classify() {
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function_)) {
    for (Instruction& instruction : *block) {
      Making making = uniformity_.varies(&instruction) ? Making::by_thread : Making::once;
      if (!uniformity_.is_partial(block)) {
        if (is_made_at_entry(instruction)) making = Making::at_entry;
        if (is_made_anew(instruction)) making = Making::anew;
        const bool acts = instruction.mayHaveSideEffects() && !instruction.isTerminator();
        const auto* const call = dyn_cast<CallBase>(&instruction);
        const bool is_told = call != nullptr && (tells_of_shared_memory(*call) ||
                                                 is_mathematics(*call->getCalledFunction()));
        if (acts && !is_told) making = Making::by_thread;
      }
      makings_[&instruction] = making;
    }
  }
}

void Plan::make_stages(AAResults& aliases) {
  for (BasicBlock& block : function_) {
    std::vector<Stage>& stages = stages_[&block];
    if (uniformity_.is_partial(&block)) continue;
    stages.emplace_back();
    for (Instruction& instruction : block) {
      if (isa<PHINode>(instruction) || instruction.isTerminator()) continue;
      if (is_barrier(instruction)) {
        stages.back().barrier = &cast<CallInst>(instruction);
        stages.emplace_back();
        continue;
      }
      if (is_agreement(instruction)) {
        stages.back().agreement = &cast<CallInst>(instruction);
        stages.emplace_back();
        continue;
      }
      const Making making = making_of(&instruction);
      if (making == Making::once) {
        if (may_depend_on(instruction, stages.back().by_thread, aliases)) stages.emplace_back();
        stages.back().once.push_back(&instruction);
      } else if (making == Making::by_thread) {
        stages.back().by_thread.push_back(&instruction);
      }
    }
  }
}

/// A value is kept unless everything that uses it is in the same stage, or in code of only some
/// threads through which the same loop over threads runs.
void Plan::note_kept() {
  DenseMap<const Instruction*, const Stage*> stage_of;
  for (const auto& [block, stages] : stages_) {
    for (const Stage& stage : stages) {
      for (const Instruction* instruction : stage.once) stage_of[instruction] = &stage;
      for (const Instruction* instruction : stage.by_thread) stage_of[instruction] = &stage;
    }
  }
  for (const Instruction& instruction : instructions(function_)) {
    const Making making = making_of(&instruction);
    if (making == Making::at_entry || making == Making::anew) continue;
    const BasicBlock* const block = instruction.getParent();
    const bool is_partial = uniformity_.is_partial(block);
    bool is_kept = isa<PHINode>(instruction) && !is_partial;
    for (const User* user : instruction.users()) {
      const auto* const use = cast<Instruction>(user);
      const BasicBlock* const used_in = use->getParent();
      if (is_partial) {
        is_kept |= !uniformity_.is_partial(used_in) ? !isa<PHINode>(use)
                                                    : end_of(used_in) != end_of(block);
      } else {
        is_kept |= used_in != block || making_of(use) == Making::anew || isa<PHINode>(use) ||
                   use->isTerminator() || stage_of.lookup(use) != stage_of.lookup(&instruction);
      }
    }
    if (is_kept) kept_.insert(&instruction);
  }
}

/// A value that is computed anew needs the values that it is computed from.
void Plan::use(const Value* value, Values& live) const {
  const auto* const instruction = dyn_cast<Instruction>(value);
  if (instruction == nullptr) return;
  const Making making = making_of(instruction);
  if (making == Making::at_entry) return;
  if (making != Making::anew) {
    live.insert(instruction);
    return;
  }
  for (const Use& operand : instruction->operands()) use(operand.get(), live);
}

void Plan::step_back(const Instruction& instruction, Values& live) const {
  live.remove(&instruction);
  if (isa<PHINode>(instruction)) return;  // the edges use its operands
  const Making making = making_of(&instruction);
  if (making == Making::at_entry || making == Making::anew) return;
  for (const Use& operand : instruction.operands()) use(operand.get(), live);
}

void Plan::find_live() {
  for (BasicBlock& block : function_) live_in_[&block];
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (BasicBlock* block : post_order(&function_)) {
      Values live;
      for (const BasicBlock* next : successors(block)) {
        const Values& wanted = live_in_[next];
        live.insert(wanted.begin(), wanted.end());
      }
      for (const BasicBlock* next : successors(block)) {
        for (const PHINode& phi : next->phis()) use(phi.getIncomingValueForBlock(block), live);
      }
      for (const Instruction& instruction : llvm::reverse(*block)) {
        if (is_barrier(instruction)) live_across_[&cast<CallInst>(instruction)] = live;
        step_back(instruction, live);
      }
      if (live.size() != live_in_[block].size()) {
        live_in_[block] = live;
        is_new = true;
      }
    }
  }
}

}  // namespace tilewise::split
