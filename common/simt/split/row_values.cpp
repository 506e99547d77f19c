#include "common/simt/split/row_values.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Module.h>

#include "common/simt/split/row_function.hpp"
#include "common/simt/split/thread_function.hpp"

namespace tilewise::split {

using namespace llvm;

namespace {

constexpr std::uint64_t line_of_cache = 64;

}  // namespace

Type* kept_type(Type* type) {
  return type->isIntegerTy(1) ? Type::getInt8Ty(type->getContext()) : type;
}

Value* to_kept(IRBuilder<>& builder, Value* value) {
  return builder.CreateZExt(value, kept_type(value->getType()));
}

Value* from_kept(IRBuilder<>& builder, Value* kept, Type* type) {
  return type->isIntegerTy(1) ? builder.CreateTrunc(kept, type) : kept;
}

RowValues::RowValues(Function& thread, const Plan& plan, Function* row)
    : thread_(thread),
      plan_(plan),
      row_(row),
      entry_(BasicBlock::Create(row->getContext(), "entry", row)),
      at_(entry_) {
  make_at_entry();
}

void RowValues::make_at_entry() {
  at_entry_[thread_.getArg(context_argument)] = row_->getArg(row_context);
  at_entry_[thread_.getArg(thread_x + 1)] = row_->getArg(row_y);
  at_entry_[thread_.getArg(thread_x + 2)] = row_->getArg(row_z);
  Type* const number = at_.getInt32Ty();
  for (unsigned i = first_of_block; i < thread_arguments; ++i) {
    Value* const place =
        at_.CreateConstInBoundsGEP1_32(number, row_->getArg(row_block), i - first_of_block);
    LoadInst* const load = at_.CreateLoad(number, place);
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(row_->getContext(), {}));
    at_entry_[thread_.getArg(i)] = load;
  }
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&thread_)) {
    for (const Instruction& instruction : *block) {
      if (instruction.isTerminator() || plan_.making_of(&instruction) != Making::at_entry) continue;
      Instruction* const copy = instruction.clone();
      for (Use& operand : copy->operands()) operand.set(shared(operand.get()));
      at_.Insert(copy);
      if (isa<LoadInst>(copy)) {
        copy->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(row_->getContext(), {}));
      }
      at_entry_[&instruction] = copy;
    }
  }
}

void RowValues::go_on_at(BasicBlock* block, Memory memory) {
  at_.SetInsertPoint(block);
  if (memory == Memory::forget) at_hand_.clear();
}

Value* RowValues::shared(const Value* value) {
  if (isa<Constant>(value)) return const_cast<Value*>(value);
  if (Value* const known = at_entry_.lookup(value)) return known;
  Value*& here = at_hand_[value];
  if (here == nullptr) {
    AllocaInst* const kept = slot(value);
    here = from_kept(at_, at_.CreateLoad(kept->getAllocatedType(), kept), value->getType());
  }
  return here;
}

void RowValues::make_once(const Instruction& instruction) {
  Instruction* const copy = instruction.clone();
  for (Use& operand : copy->operands()) operand.set(shared(operand.get()));
  note(&instruction, at_.Insert(copy));
}

void RowValues::note(const Instruction* instruction, Value* is) {
  at_hand_[instruction] = is;
  if (plan_.is_kept(instruction)) keep(instruction, is);
}

void RowValues::keep(const Value* value, Value* is) {
  at_.CreateStore(to_kept(at_, is), slot(value));
}

AllocaInst* RowValues::slot(const Value* value) {
  AllocaInst*& known = slots_[value];
  if (known == nullptr) {
    IRBuilder<> builder(&entry_->front());
    Type* type = kept_type(value->getType());
    const bool of_threads = plan_.uniformity().varies(value);
    if (of_threads) type = ArrayType::get(type, row_width);
    known = builder.CreateAlloca(type);
    if (of_threads) known->setAlignment(Align(line_of_cache));
  }
  return known;
}

std::uint64_t RowValues::bytes_of(Type* type) const {
  return row_->getParent()->getDataLayout().getTypeAllocSize(type).getFixedSize();
}

std::uint64_t RowValues::place(const Value* value, std::uint64_t bytes) {
  const auto known = places_.find(value);
  if (known != places_.end()) return known->second;
  const std::uint64_t start = state_bytes_;
  state_bytes_ += (bytes + line_of_cache - 1) / line_of_cache * line_of_cache;
  places_[value] = start;
  return start;
}

std::uint64_t RowValues::place_of_local(const AllocaInst* local) {
  return place(local, row_width * bytes_of_local(local));
}

std::uint64_t RowValues::bytes_of_local(const AllocaInst* local) const {
  const auto* const count = cast<ConstantInt>(local->getArraySize());
  return alignTo(count->getZExtValue() * bytes_of(local->getAllocatedType()), local->getAlign());
}

Value* RowValues::place_in_state(const Value* value) {
  const std::uint64_t start = place(value, bytes_of(slot(value)->getAllocatedType()));
  return at_.CreateConstInBoundsGEP1_64(at_.getInt8Ty(), row_->getArg(row_state), start);
}

void RowValues::save(const Value* value) {
  AllocaInst* const kept = slot(value);
  at_.CreateMemCpy(place_in_state(value), Align(line_of_cache), kept, kept->getAlign(),
                   bytes_of(kept->getAllocatedType()));
}

void RowValues::restore(const Value* value) {
  AllocaInst* const kept = slot(value);
  at_.CreateMemCpy(kept, kept->getAlign(), place_in_state(value), Align(line_of_cache),
                   bytes_of(kept->getAllocatedType()));
}

}  // namespace tilewise::split
