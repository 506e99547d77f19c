#include "common/simt/split/registration.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "common/simt/split/thread_function.hpp"

namespace tilewise::split {

using namespace llvm;

namespace {

Constant* constant_table(Module& module, Constant* contents) {
  auto* const table = new GlobalVariable(module, contents->getType(), true,
                                         GlobalValue::PrivateLinkage, contents, "tilewise_split");
  return ConstantExpr::getPointerCast(table, Type::getInt8PtrTy(module.getContext()));
}

/// The places of a kernel's barriers: file and line of each.
Constant* places_of(Module& module, const SplitKernel& kernel) {
  LLVMContext& context = module.getContext();
  Type* const bytes = Type::getInt8PtrTy(context);
  StructType* const place = StructType::get(context, {bytes, Type::getInt32Ty(context)});
  SmallVector<Constant*, 8> places;
  for (const CallInst* barrier : kernel.barriers) {
    auto* file = dyn_cast<Constant>(barrier->getArgOperand(0));
    auto* line = dyn_cast<Constant>(barrier->getArgOperand(1));
    if (file == nullptr) file = Constant::getNullValue(bytes);
    if (line == nullptr) line = Constant::getNullValue(Type::getInt32Ty(context));
    places.push_back(ConstantStruct::get(place, {ConstantExpr::getPointerCast(file, bytes), line}));
  }
  return constant_table(module, ConstantArray::get(ArrayType::get(place, places.size()), places));
}

/// Makes a function without arguments that hands a table to the run-time.
Function* caller_of(Module& module, const char* function, ArrayRef<Value*> arguments) {
  LLVMContext& context = module.getContext();
  Type* const nothing = Type::getVoidTy(context);
  SmallVector<Type*, 2> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  const FunctionCallee callee =
      module.getOrInsertFunction(function, FunctionType::get(nothing, types, false));
  Function* const caller =
      Function::Create(FunctionType::get(nothing, false), GlobalValue::InternalLinkage,
                       "tilewise_tell_of_kernels", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", caller));
  builder.CreateCall(callee, arguments);
  builder.CreateRetVoid();
  return caller;
}

}  // namespace

void register_kernels(Module& module, const std::vector<SplitKernel>& kernels) {
  if (kernels.empty()) return;
  LLVMContext& context = module.getContext();
  Type* const bytes = Type::getInt8PtrTy(context);
  Type* const number = Type::getInt64Ty(context);
  StructType* const entry = StructType::get(context, {bytes, bytes, bytes, bytes, number, bytes});
  SmallVector<Constant*, 8> entries;
  for (const SplitKernel& kernel : kernels) {
    const auto address = [&](Function* function) {
      return ConstantExpr::getPointerCast(function, bytes);
    };
    entries.push_back(ConstantStruct::get(
        entry, {address(kernel.run_thread), address(kernel.whole_row), address(kernel.half_row),
                address(kernel.any_row), ConstantInt::get(number, kernel.state_bytes),
                places_of(module, kernel)}));
  }
  Constant* const table =
      constant_table(module, ConstantArray::get(ArrayType::get(entry, entries.size()), entries));
  constexpr int last = 65535;
  appendToGlobalCtors(module,
                      caller_of(module, "tilewise_simt_note_split_kernels",
                                {table, ConstantInt::get(number, entries.size())}),
                      last);
  appendToGlobalDtors(module, caller_of(module, "tilewise_simt_forget_split_kernels", {table}),
                      last);
}

}  // namespace tilewise::split
