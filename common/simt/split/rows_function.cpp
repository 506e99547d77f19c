#include "common/simt/split/rows_function.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "common/simt/split/row_function.hpp"

namespace tilewise::split {

using namespace llvm;

namespace {

/// What the function is given, by position.
enum RowsArgument : unsigned {
  rows_context,
  rows_block,
  rows_state,         ///< of the first row
  rows_state_bytes,   ///< from one row's to the next one's
  rows_table,         ///< four numbers a row: its first thread, and the barrier it goes on behind
  rows_count,
  rows_threads,       ///< of each
  rows_arguments
};
constexpr unsigned numbers_of_row = 4;

Function* create(Function& row) {
  LLVMContext& context = row.getContext();
  SmallVector<Type*, rows_arguments> types(rows_arguments, Type::getInt64Ty(context));
  types[rows_context] = row.getArg(row_context)->getType();
  types[rows_block] = row.getArg(row_block)->getType();
  types[rows_state] = row.getArg(row_state)->getType();
  types[rows_table] = row.getArg(row_block)->getType();
  types[rows_threads] = Type::getInt32Ty(context);
  Function* const rows =
      Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                       GlobalValue::InternalLinkage, "tilewise_rows", row.getParent());
  rows->setAttributes(AttributeList::get(
      context, AttributeList::FunctionIndex,
      AttrBuilder(context, row.getAttributes().getFnAttrs())));
  for (const unsigned memory : {rows_block, rows_state, rows_table}) {
    rows->addParamAttr(memory, Attribute::NoAlias);
  }
  rows->addParamAttr(rows_block, Attribute::ReadOnly);
  return rows;
}

}  // namespace

Function* make_rows_function(Function& row) {
  Function* const rows = create(row);
  LLVMContext& context = row.getContext();
  const auto block = [&](const char* name) { return BasicBlock::Create(context, name, rows); };
  BasicBlock *const entry = block("entry"), *const next = block("next_row"),
                    *const run = block("run"), *const more = block("more"),
                    *const end = block("end");
  IRBuilder<> builder(entry);
  Type* const number = builder.getInt32Ty();
  builder.CreateBr(next);

  builder.SetInsertPoint(next);
  PHINode* const index = builder.CreatePHI(builder.getInt64Ty(), 2);
  Value* const place = builder.CreateInBoundsGEP(
      number, rows->getArg(rows_table),
      builder.CreateMul(index, builder.getInt64(numbers_of_row), "", true, true));
  Value* numbers[numbers_of_row];
  for (unsigned i = 0; i < numbers_of_row; ++i) {
    numbers[i] =
        builder.CreateLoad(number, builder.CreateConstInBoundsGEP1_32(number, place, i));
  }
  builder.CreateCondBr(builder.CreateICmpEQ(numbers[3], builder.getInt32(~0u)), more, run);

  builder.SetInsertPoint(run);
  Value* const state = builder.CreateInBoundsGEP(
      builder.getInt8Ty(), rows->getArg(rows_state),
      builder.CreateMul(index, rows->getArg(rows_state_bytes), "", true, true));
  CallInst* const call = builder.CreateCall(
      &row, {rows->getArg(rows_context), rows->getArg(rows_block), state, numbers[0], numbers[1],
             numbers[2], rows->getArg(rows_threads), numbers[3]});
  builder.CreateStore(call, builder.CreateConstInBoundsGEP1_32(number, place, 3));
  builder.CreateBr(more);

  builder.SetInsertPoint(more);
  Value* const following = builder.CreateAdd(index, builder.getInt64(1), "", true, true);
  builder.CreateCondBr(builder.CreateICmpULT(following, rows->getArg(rows_count)), next, end);
  index->addIncoming(builder.getInt64(0), entry);
  index->addIncoming(following, more);
  IRBuilder<>(end).CreateRetVoid();

  InlineFunctionInfo info;
  InlineFunction(*call, info);
  return rows;
}

}  // namespace tilewise::split
