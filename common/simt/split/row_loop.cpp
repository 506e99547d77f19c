#include "common/simt/split/row_loop.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "common/simt/split/agreement.hpp"
#include "common/simt/split/row_function.hpp"
#include "common/simt/split/thread_function.hpp"

namespace tilewise::split {

using namespace llvm;

RowLoop::RowLoop(RowValues& values, const Plan& plan, Addresses addresses)
    : values_(values),
      plan_(plan),
      addresses_(addresses),
      front_(values.at().GetInsertBlock()),
      first_(BasicBlock::Create(front_->getContext(), "threads", &values.row())),
      latch_(BasicBlock::Create(front_->getContext(), "next_thread", &values.row())),
      exit_(BasicBlock::Create(front_->getContext(), "behind_threads", &values.row())),
      before_(first_),
      at_(first_),
      accesses_(MDNode::getDistinct(front_->getContext(), {})) {
  thread_ = before_.CreatePHI(before_.getInt64Ty(), 2, "thread");
  BasicBlock* const code = BasicBlock::Create(front_->getContext(), "thread", &values.row());
  before_.SetInsertPoint(before_.CreateBr(code));
  at_.SetInsertPoint(code);
}

void RowLoop::note_access(Instruction& instruction) {
  if (!instruction.mayReadOrWriteMemory()) return;
  instruction.setMetadata(LLVMContext::MD_access_group, accesses_);
}

Value* RowLoop::slot_of_thread(IRBuilder<>& builder, const Value* value) {
  AllocaInst* slot = values_.slot(value);
  touched_.insert(value);
  if (addresses_ == Addresses::any) {
    AllocaInst*& copy = copies_[value];
    if (copy == nullptr) {
      copy = IRBuilder<>(&values_.entry()->front()).CreateAlloca(slot->getAllocatedType());
      copy->setAlignment(slot->getAlign());
    }
    slot = copy;
  }
  return builder.CreateInBoundsGEP(slot->getAllocatedType(), slot, {builder.getInt64(0), thread_});
}

Value* RowLoop::load_kept(const Value* value) {
  LoadInst* const load =
      before_.CreateLoad(kept_type(value->getType()), slot_of_thread(before_, value));
  note_access(*load);
  return from_kept(before_, load, value->getType());
}

void RowLoop::keep(IRBuilder<>& builder, const Value* value, Value* is) {
  note_access(*builder.CreateStore(to_kept(builder, is), slot_of_thread(builder, value)));
}

Value* RowLoop::value_of(const Value* value) {
  if (isa<Constant>(value)) return const_cast<Value*>(value);
  if (Value* const known = here_.lookup(value)) return known;
  Value* made = nullptr;
  if (const auto* argument = dyn_cast<Argument>(value);
      argument != nullptr && argument->getArgNo() == thread_x) {
    made = before_.CreateAdd(values_.row().getArg(row_x),
                             before_.CreateTrunc(thread_, before_.getInt32Ty()), "", true, true);
  } else {
    switch (plan_.making_of(value)) {
      case Making::at_entry:
      case Making::once:
        made = values_.shared(value);
        break;
      case Making::anew:
        made = make_anew(*cast<Instruction>(value));
        break;
      case Making::by_thread:
        made = load_kept(value);
        break;
    }
  }
  here_[value] = made;
  return made;
}

Value* RowLoop::make_anew(const Instruction& instruction) {
  if (const auto* local = dyn_cast<AllocaInst>(&instruction)) {
    const std::uint64_t bytes = values_.bytes_of_local(local);
    Value* const offset =
        before_.CreateAdd(before_.getInt64(values_.place_of_local(local)),
                          before_.CreateMul(thread_, before_.getInt64(bytes), "", true, true));
    Value* const place =
        before_.CreateInBoundsGEP(before_.getInt8Ty(), values_.row().getArg(row_state), offset);
    return before_.CreatePointerCast(place, local->getType());
  }
  if (Value* const wide = widened(instruction)) return wide;
  SmallVector<Value*, 4> operands;
  for (const Use& operand : instruction.operands()) operands.push_back(value_of(operand.get()));
  Instruction* const copy = instruction.clone();
  for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
  return before_.Insert(copy);
}

std::optional<RowLoop::Progression> RowLoop::progression_of(const Value* value) {
  if (!value->getType()->isIntegerTy(32)) return std::nullopt;
  if (!plan_.uniformity().varies(value)) return Progression{values_.shared(value), 0};
  if (isa<Argument>(value)) return Progression{values_.row().getArg(row_x), 1};
  if (const auto bounded = unbound(value)) return bounded;
  const auto* const operation = dyn_cast<BinaryOperator>(value);
  if (operation == nullptr) return std::nullopt;
  const auto* const constant = dyn_cast<ConstantInt>(operation->getOperand(1));
  const unsigned code = operation->getOpcode();
  if (code != Instruction::Add && code != Instruction::Sub &&
      (constant == nullptr || (code != Instruction::Mul && code != Instruction::Shl))) {
    return std::nullopt;
  }
  const auto left = progression_of(operation->getOperand(0));
  const auto right = progression_of(operation->getOperand(1));
  if (!left || !right) return std::nullopt;
  constexpr std::int64_t longest_step = 1 << 20;
  Progression result{values_.at().CreateBinOp(operation->getOpcode(), left->start, right->start),
                     0};
  if (code == Instruction::Add) result.step = left->step + right->step;
  if (code == Instruction::Sub) result.step = left->step - right->step;
  if (code == Instruction::Mul || code == Instruction::Shl) {
    const std::int64_t by = constant->getSExtValue();
    if (std::abs(by) > longest_step || (code == Instruction::Shl && by > 20)) return std::nullopt;
    result.step = code == Instruction::Mul ? left->step * by : left->step << by;
  }
  if (std::abs(result.step) > longest_step) return std::nullopt;
  return result;
}

/// The minimum of a number that grows and one that all threads share is the growing one in rows
/// that do not reach the shared one, such as those in the middle of a matrix; the same holds for
/// the maximum.
std::optional<RowLoop::Progression> RowLoop::unbound(const Value* value) {
  using namespace PatternMatch;
  const Value *left = nullptr, *right = nullptr;
  CmpInst::Predicate holds = CmpInst::BAD_ICMP_PREDICATE;
  if (match(value, m_SMin(m_Value(left), m_Value(right)))) holds = CmpInst::ICMP_SLE;
  if (match(value, m_SMax(m_Value(left), m_Value(right)))) holds = CmpInst::ICMP_SGE;
  if (match(value, m_UMin(m_Value(left), m_Value(right)))) holds = CmpInst::ICMP_ULE;
  if (match(value, m_UMax(m_Value(left), m_Value(right)))) holds = CmpInst::ICMP_UGE;
  if (holds == CmpInst::BAD_ICMP_PREDICATE) return std::nullopt;
  if (!plan_.uniformity().varies(left)) std::swap(left, right);
  if (plan_.uniformity().varies(right)) return std::nullopt;
  const auto grows = progression_of(left);
  if (!grows) return std::nullopt;
  Value* const limit = values_.shared(right);
  demand_no_wrap(*grows, CmpInst::isSigned(holds));
  IRBuilder<>& once = values_.at();
  demand(once.CreateICmp(holds, grows->start, limit));
  demand(once.CreateICmp(
      holds, once.CreateTrunc(last_of(*grows, CmpInst::isSigned(holds)), once.getInt32Ty()),
      limit));
  return grows;
}

/// The value in the row's last thread, as wide as an address.
Value* RowLoop::last_of(const Progression& progression, bool is_signed) {
  IRBuilder<>& once = values_.at();
  Value* const others = once.CreateSub(
      once.CreateZExt(values_.row().getArg(row_threads), once.getInt64Ty()), once.getInt64(1));
  Value* const start = is_signed ? once.CreateSExt(progression.start, once.getInt64Ty())
                                 : once.CreateZExt(progression.start, once.getInt64Ty());
  return once.CreateAdd(start, once.CreateMul(others, once.getInt64(progression.step)));
}

void RowLoop::demand(Value* condition) {
  is_even_ = is_even_ == nullptr ? condition : values_.at().CreateAnd(is_even_, condition);
}

void RowLoop::demand_no_wrap(const Progression& progression, bool is_signed) {
  IRBuilder<>& once = values_.at();
  Value* const last = last_of(progression, is_signed);
  Value* const narrow = once.CreateTrunc(last, once.getInt32Ty());
  Value* const wide = is_signed ? once.CreateSExt(narrow, once.getInt64Ty())
                                : once.CreateZExt(narrow, once.getInt64Ty());
  demand(once.CreateICmpEQ(wide, last));
}

/// The index of an address, made from a 32-bit number. The compiler cannot know that the number
/// does not wrap around from thread to thread, so this is checked in front of the loop.
Value* RowLoop::widened(const Instruction& extension) {
  if (addresses_ == Addresses::any) return nullptr;
  const bool is_signed = isa<SExtInst>(extension);
  if (!is_signed && !isa<ZExtInst>(extension)) return nullptr;
  if (!extension.getType()->isIntegerTy(64)) return nullptr;
  if (!extension.getOperand(0)->getType()->isIntegerTy(32)) return nullptr;
  const auto progression = progression_of(extension.getOperand(0));
  if (!progression) return nullptr;
  IRBuilder<>& once = values_.at();
  Value* const start = is_signed ? once.CreateSExt(progression->start, once.getInt64Ty())
                                 : once.CreateZExt(progression->start, once.getInt64Ty());
  const bool is_shared = progression->step == 0;
  if (!is_shared && !isa<Argument>(extension.getOperand(0)))
    demand_no_wrap(*progression, is_signed);
  return before_.CreateAdd(start, before_.CreateMul(thread_, before_.getInt64(progression->step)));
}

void RowLoop::copy(const Instruction& instruction) {
  if (Value* const wide = widened(instruction)) {
    here_[&instruction] = wide;
    if (plan_.is_kept(&instruction)) keep(at_, &instruction, wide);
    return;
  }
  if (is_vote(instruction)) {
    Value* const vote = at_.CreateZExt(value_of(instruction.getOperand(0)), at_.getInt8Ty());
    here_[&instruction] = vote;
    keep(at_, &instruction, vote);
    return;
  }
  Instruction* const copy = instruction.clone();
  for (Use& operand : copy->operands()) operand.set(value_of(operand.get()));
  at_.Insert(copy);
  note_access(*copy);
  here_[&instruction] = copy;
  if (plan_.is_kept(&instruction)) keep(at_, &instruction, copy);
}

void RowLoop::copy(const std::vector<Instruction*>& by_thread) {
  for (const Instruction* instruction : by_thread) copy(*instruction);
}

Value* RowLoop::count(const Value* vote) {
  Type* const number = at_.getInt32Ty();
  PHINode* const sum = PHINode::Create(number, 2, "votes", &first_->front());
  Value* const more = at_.CreateAdd(sum, at_.CreateZExt(value_of(vote), number));
  sum->addIncoming(at_.getInt32(0), front_);
  sum->addIncoming(more, latch_);
  return more;
}

const BasicBlock* RowLoop::copy_parted(const BasicBlock& block) {
  const Instruction& end = *block.getTerminator();
  SmallVector<const BasicBlock*, 4> entries(succ_begin(&block), succ_end(&block));
  const BasicBlock* const together = copy_blocks(block, entries);
  if (together == nullptr) return nullptr;
  Instruction* const copy = end.clone();
  for (unsigned i = 0; i < copy->getNumOperands(); ++i) {
    if (!isa<BasicBlock>(copy->getOperand(i))) copy->setOperand(i, value_of(copy->getOperand(i)));
  }
  for (unsigned i = 0; i < copy->getNumSuccessors(); ++i) {
    const BasicBlock* const next = end.getSuccessor(i);
    copy->setSuccessor(i, plan_.uniformity().is_partial(next) ? cast<BasicBlock>(here_[next])
                                                              : way_out(block, *next));
  }
  at_.Insert(copy);
  return together;
}

const BasicBlock* RowLoop::copy_parted_from(const BasicBlock& block, const BasicBlock& next) {
  const BasicBlock* const together = copy_blocks(block, &next);
  if (together != nullptr) at_.CreateBr(cast<BasicBlock>(here_[&next]));
  return together;
}

/// Copies the reachable blocks that only some threads run.
const BasicBlock* RowLoop::copy_blocks(const BasicBlock& from,
                                       ArrayRef<const BasicBlock*> entries) {
  SetVector<const BasicBlock*> blocks;
  SmallVector<const BasicBlock*, 16> found(entries.begin(), entries.end());
  const BasicBlock* together = nullptr;
  while (!found.empty()) {
    const BasicBlock* const block = found.pop_back_val();
    if (!plan_.uniformity().is_partial(block)) {
      if (together != nullptr && together != block) return nullptr;
      together = block;
    } else if (blocks.insert(block)) {
      found.append(succ_begin(block), succ_end(block));
    }
  }
  if (together == nullptr) return nullptr;
  for (const BasicBlock* block : blocks) {
    here_[block] = BasicBlock::Create(block->getContext(), block->getName(), &values_.row());
  }
  BasicBlock* const start = at_.GetInsertBlock();
  // Definitions come before uses, except for values that loops hand back to themselves.
  SmallVector<std::pair<const PHINode*, PHINode*>, 8> phis;
  for (const BasicBlock* block : ReversePostOrderTraversal<const Function*>(from.getParent())) {
    if (!blocks.contains(block)) continue;
    at_.SetInsertPoint(cast<BasicBlock>(here_[block]));
    for (const PHINode& phi : block->phis()) {
      PHINode* const copy = at_.CreatePHI(phi.getType(), phi.getNumIncomingValues());
      here_[&phi] = copy;
      phis.emplace_back(&phi, copy);
    }
    for (const PHINode& phi : block->phis()) {
      if (plan_.is_kept(&phi)) keep(at_, &phi, here_[&phi]);
    }
    for (const Instruction& instruction : *block) {
      if (isa<PHINode>(instruction) || instruction.isTerminator()) continue;
      copy(instruction);
    }
    const Instruction& end = *block->getTerminator();
    Instruction* const copied = end.clone();
    for (unsigned i = 0; i < copied->getNumOperands(); ++i) {
      if (isa<BasicBlock>(copied->getOperand(i))) continue;
      copied->setOperand(i, value_of(copied->getOperand(i)));
    }
    for (unsigned i = 0; i < copied->getNumSuccessors(); ++i) {
      const BasicBlock* const next = end.getSuccessor(i);
      copied->setSuccessor(
          i, blocks.contains(next) ? cast<BasicBlock>(here_[next]) : way_out(*block, *next));
    }
    at_.Insert(copied);
  }
  for (const auto& [phi, copy] : phis) {
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      const BasicBlock* const before = phi->getIncomingBlock(i);
      BasicBlock* const way = before == &from           ? start
                              : blocks.contains(before) ? cast<BasicBlock>(here_[before])
                                                        : nullptr;
      if (way != nullptr) copy->addIncoming(value_of(phi->getIncomingValue(i)), way);
    }
  }
  at_.SetInsertPoint(start);
  return together;
}

/// An edge to the block where all threads meet: it hands over values and leads to the next thread.
BasicBlock* RowLoop::way_out(const BasicBlock& from, const BasicBlock& to) {
  BasicBlock* const way = BasicBlock::Create(to.getContext(), "together", &values_.row());
  IRBuilder<> builder(way);
  SmallVector<std::pair<const PHINode*, Value*>, 8> handed;
  for (const PHINode& phi : to.phis()) {
    handed.emplace_back(&phi, value_of(phi.getIncomingValueForBlock(&from)));
  }
  for (const auto& [phi, value] : handed) keep(builder, phi, value);
  builder.CreateBr(latch_);
  return way;
}

void RowLoop::hand_over(const BasicBlock& block, ArrayRef<BasicBlock*> edges) {
  SmallVector<std::pair<const PHINode*, Value*>, 8> handed;
  for (const BasicBlock* next : edges) {
    for (const PHINode& phi : next->phis()) {
      if (!plan_.uniformity().varies(&phi)) continue;
      handed.emplace_back(&phi, value_of(phi.getIncomingValueForBlock(&block)));
    }
  }
  for (const auto& [phi, value] : handed) keep(at_, phi, value);
}

Value* RowLoop::finish() {
  if (at_.GetInsertBlock()->getTerminator() == nullptr) at_.CreateBr(latch_);
  at_.SetInsertPoint(latch_);
  Value* const next = at_.CreateAdd(thread_, at_.getInt64(1), "", true, true);
  Value* const count = values_.at().CreateZExt(values_.row().getArg(row_threads), at_.getInt64Ty());
  Instruction* const back = at_.CreateCondBr(at_.CreateICmpULT(next, count), first_, exit_);
  const char* const mark = addresses_ == Addresses::even ? row_loop_mark : wrapping_loop_mark;
  back->setMetadata(mark, MDNode::get(back->getContext(), accesses_));
  thread_->addIncoming(at_.getInt64(0), front_);
  thread_->addIncoming(next, latch_);
  return is_even_;
}

void RowLoop::copy_slots(BasicBlock* front, BasicBlock* exit) {
  thread_->replaceIncomingBlockWith(front_, front);
  IRBuilder<> in(front), out(exit_);
  for (const Value* value : touched_) {
    AllocaInst* const slot = values_.slot(value);
    AllocaInst* const copy = copies_[value];
    const std::uint64_t bytes = values_.bytes_of(slot->getAllocatedType());
    in.CreateMemCpy(copy, copy->getAlign(), slot, slot->getAlign(), bytes);
    out.CreateMemCpy(slot, slot->getAlign(), copy, copy->getAlign(), bytes);
  }
  in.CreateBr(first_);
  out.CreateBr(exit);
}

}  // namespace tilewise::split
