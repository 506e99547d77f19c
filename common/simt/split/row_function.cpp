#include "common/simt/split/row_function.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "common/simt/split/agreement.hpp"
#include "common/simt/split/row_loop.hpp"
#include "common/simt/split/row_values.hpp"
#include "common/simt/split/thread_function.hpp"

namespace tilewise::split {

using namespace llvm;

namespace {

/// Writes the row's function block by block, in the order of the thread's function. Code that all
/// threads share appears once; the rest is in loops over the row's threads.
class Writer {
 public:
  Writer(Function& thread, const Plan& plan)
      : thread_(thread), plan_(plan), values_(thread, plan, create(thread)) {}

  RowFunction write() {
    Function& row = values_.row();
    LLVMContext& context = row.getContext();
    for (BasicBlock& block : thread_) {
      if (plan_.uniformity().is_partial(&block)) continue;
      starts_[&block] = BasicBlock::Create(context, block.getName(), &row);
    }
    const auto& barriers = plan_.barriers();
    IRBuilder<> at_entry(values_.entry());
    SwitchInst* const resume =
        at_entry.CreateSwitch(row.getArg(row_at), starts_[&thread_.getEntryBlock()],
                              static_cast<unsigned>(barriers.size()));
    for (std::size_t i = 0; i < barriers.size(); ++i) {
      BasicBlock* const behind = BasicBlock::Create(context, "behind_barrier", &row);
      resume->addCase(at_entry.getInt32(static_cast<unsigned>(i + 1)), behind);
      resumptions_[barriers[i]] = {static_cast<unsigned>(i + 1), behind};
    }
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&thread_)) {
      if (!plan_.uniformity().is_partial(block)) write(*block);
    }
    return {&row, values_.state_bytes(), why_not_};
  }

 private:
  static Function* create(Function& thread) {
    LLVMContext& context = thread.getContext();
    Type* const number = Type::getInt32Ty(context);
    Type* const bytes = Type::getInt8PtrTy(context);
    SmallVector<Type*, row_arguments> types(row_arguments, number);
    types[row_context] = thread.getArg(context_argument)->getType();
    types[row_block] = PointerType::getUnqual(number);
    types[row_state] = bytes;
    Function* const row =
        Function::Create(FunctionType::get(number, types, false), GlobalValue::InternalLinkage,
                         "tilewise_row", thread.getParent());
    row->copyAttributesFrom(&thread);
    row->setAttributes(
        AttributeList::get(context, AttributeList::FunctionIndex,
                           AttrBuilder(context, thread.getAttributes().getFnAttrs())));
    row->setLinkage(GlobalValue::InternalLinkage);
    for (const unsigned memory : {row_block, row_state}) {
      row->addParamAttr(memory, Attribute::NoAlias);
    }
    row->addParamAttr(row_block, Attribute::ReadOnly);
    return row;
  }

  void write(BasicBlock& block) {
    values_.go_on_at(starts_[&block]);
    const std::vector<Stage>& stages = plan_.stages_of(&block);
    for (const Stage& stage : stages) {
      for (Instruction* instruction : stage.once) values_.make_once(*instruction);
      if (&stage == &stages.back()) {
        write_end(block, stage);
        continue;
      }
      if (!stage.by_thread.empty()) {
        loop([&](RowLoop& loop) { loop.copy(stage.by_thread); });
      }
      if (stage.barrier != nullptr) suspend(stage.barrier);
      if (stage.agreement != nullptr) agree(stage.agreement);
    }
  }

  /// Writes a loop over the row's threads, and a second version of it if its addresses might wrap
  /// around.
  template <class Fill>
  void loop(Fill&& fill) {
    RowLoop usual(values_, plan_, RowLoop::Addresses::even);
    fill(usual);
    BasicBlock* const front = usual.front();
    Value* const is_usual = usual.finish();
    if (is_usual == nullptr) {
      IRBuilder<>(front).CreateBr(usual.first_block());
      values_.go_on_at(usual.exit(), RowValues::Memory::keep);
      return;
    }
    BasicBlock* const other_front =
        BasicBlock::Create(front->getContext(), "wrapping", front->getParent());
    Instruction* const choice =
        IRBuilder<>(front).CreateCondBr(is_usual, usual.first_block(), other_front);
    values_.go_on_before(choice);
    RowLoop wrapping(values_, plan_, RowLoop::Addresses::any);
    fill(wrapping);
    wrapping.finish();
    wrapping.copy_slots(other_front, usual.exit());
    values_.go_on_at(usual.exit(), RowValues::Memory::keep);
  }

  /// Writes how the row's threads agree by their votes.
  void agree(const CallInst* agreement) {
    RowLoop loop(values_, plan_, RowLoop::Addresses::even);
    Value* const count = loop.count(agreement->getArgOperand(0));
    loop.finish();
    IRBuilder<>(loop.front()).CreateBr(loop.first_block());
    values_.go_on_at(loop.exit(), RowValues::Memory::keep);
    IRBuilder<>& at = values_.at();
    Value* const some = at.CreateSelect(at.CreateICmpEQ(count, at.getInt32(0)),
                                        at.getInt8(all_refuse), at.getInt8(threads_part));
    values_.note(agreement,
                 at.CreateSelect(at.CreateICmpEQ(count, values_.row().getArg(row_threads)),
                                 at.getInt8(all_agree), some));
  }

  void suspend(const CallInst* barrier) {
    const auto [number, behind] = resumptions_[barrier];
    for (const Value* value : plan_.live_across(barrier)) values_.save(value);
    values_.at().CreateRet(values_.at().getInt32(number));
    values_.go_on_at(behind);
    for (const Value* value : plan_.live_across(barrier)) values_.restore(value);
  }

  void write_end(BasicBlock& block, const Stage& stage) {
    const Instruction& end = *block.getTerminator();
    const bool varies = plan_.uniformity().varies(&end);
    const bool leads_to_part =
        end.getNumSuccessors() == 1 && plan_.uniformity().is_partial(end.getSuccessor(0));
    if (varies || leads_to_part) {
      const BasicBlock* together = nullptr;
      loop([&](RowLoop& loop) {
        loop.copy(stage.by_thread);
        together = loop.copy_parted(block);
        if (together == nullptr) why_not_ = "threads part and do not meet again in one place";
      });
      if (together == nullptr) {
        values_.at().CreateUnreachable();
        return;
      }
      values_.at().CreateBr(starts_[together]);
      return;
    }
    SmallVector<BasicBlock*, 4> usual, apart;
    SmallPtrSet<const BasicBlock*, 4> seen;
    for (BasicBlock* next : successors(&block)) {
      if (!seen.insert(next).second) continue;
      (is_apart(block, *next) ? apart : usual).push_back(next);
    }
    hand_over(block, stage.by_thread, usual);
    Instruction* const copy = end.clone();
    if (isa<ReturnInst>(end)) {
      copy->deleteValue();
      values_.at().CreateRet(values_.at().getInt32(~0u));
      return;
    }
    for (unsigned i = 0; i < copy->getNumOperands(); ++i) {
      Value* const operand = copy->getOperand(i);
      if (!isa<BasicBlock>(operand)) copy->setOperand(i, values_.shared(operand));
    }
    DenseMap<const BasicBlock*, BasicBlock*> ways;
    for (BasicBlock* next : usual) ways[next] = starts_[next];
    for (BasicBlock* next : apart) {
      ways[next] = BasicBlock::Create(copy->getContext(), "on_the_way", &values_.row());
    }
    for (unsigned i = 0; i < copy->getNumSuccessors(); ++i) {
      copy->setSuccessor(i, ways[end.getSuccessor(i)]);
    }
    values_.at().Insert(copy);
    for (BasicBlock* next : apart) {
      values_.go_on_at(ways[next]);
      write_way(block, *next);
    }
  }

  /// Whether the values that an edge hands over must not be visible on the other edges.
  bool is_apart(const BasicBlock& block, const BasicBlock& next) const {
    if (plan_.uniformity().is_partial(&next)) return true;
    for (const PHINode& phi : next.phis()) {
      for (const BasicBlock* other : successors(&block)) {
        if (other == &next) continue;
        if (plan_.uniformity().is_partial(other) || plan_.is_live_into(&phi, other)) return true;
      }
    }
    return false;
  }

  void write_way(BasicBlock& block, BasicBlock& next) {
    if (!plan_.uniformity().is_partial(&next)) {
      hand_over(block, {}, {&next});
      values_.at().CreateBr(starts_[&next]);
      return;
    }
    const BasicBlock* together = nullptr;
    loop([&](RowLoop& loop) { together = loop.copy_parted_from(block, next); });
    if (together == nullptr) {
      why_not_ = "threads part and do not meet again in one place";
      values_.at().CreateUnreachable();
      return;
    }
    values_.at().CreateBr(starts_[together]);
  }

  /// Writes the block's last loop, if there is anything for one to do, and the values that its
  /// edges hand over.
  void hand_over(BasicBlock& block, const std::vector<Instruction*>& by_thread,
                 ArrayRef<BasicBlock*> edges) {
    bool has_loop = !by_thread.empty();
    SmallVector<std::pair<const PHINode*, const Value*>, 8> shared;
    for (const BasicBlock* next : edges) {
      for (const PHINode& phi : next->phis()) {
        if (plan_.uniformity().varies(&phi)) {
          has_loop = true;
        } else {
          shared.emplace_back(&phi, phi.getIncomingValueForBlock(&block));
        }
      }
    }
    if (has_loop) {
      loop([&](RowLoop& loop) {
        loop.copy(by_thread);
        loop.hand_over(block, edges);
      });
    }
    SmallVector<Value*, 8> handed;
    for (const auto& [phi, value] : shared) handed.push_back(values_.shared(value));
    for (std::size_t i = 0; i < shared.size(); ++i) values_.keep(shared[i].first, handed[i]);
  }

  Function& thread_;
  const Plan& plan_;
  RowValues values_;
  std::string why_not_;
  DenseMap<const BasicBlock*, BasicBlock*> starts_;
  DenseMap<const CallInst*, std::pair<unsigned, BasicBlock*>> resumptions_;
};

}  // namespace

RowFunction make_row_function(Function& thread, const Plan& plan) {
  return Writer(thread, plan).write();
}

}  // namespace tilewise::split
