#include "common/simt/split/thread_function.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <array>
#include <string_view>

#include "common/simt/split/llvm_versions.hpp"

namespace tilewise::split {

using namespace llvm;

namespace {

constexpr std::array<const char*, 4> variables_of_threads = {"threadIdx", "blockIdx", "blockDim",
                                                             "gridDim"};

/// Limits, the first of which applies before anything is simplified; kernels that can be
/// split end up with some hundreds of instructions.
constexpr unsigned most_inlined = 40000;
constexpr unsigned most_simplified = 4000;
constexpr unsigned deepest_calls = 40;

bool starts_with(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

/// Whether all lanes of a warp or all threads of a block run a function together, which therefore
/// stays a call.
bool is_collective(const Function& function) {
  const std::string name = plain_name(function);
  for (const char* start : {"__syncthreads", "__syncwarp", "__shfl", "__any", "__all_sync",
                            "__ballot", "__activemask", "__match", "__reduce"}) {
    if (starts_with(name, start)) return true;
  }
  return false;
}

/// Shortens "void (anonymous namespace)::scale<4>(float*)" to "scale<4>".
std::string without_signature(std::string name) {
  if (!name.empty() && name.back() == ')') {
    int depth = 0;
    for (std::size_t at = name.size(); at-- > 0;) {
      if (name[at] == ')') ++depth;
      if (name[at] == '(' && --depth == 0) {
        name.erase(at);
        break;
      }
    }
  }
  if (starts_with(name, "void ")) name.erase(0, 5);
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  if (starts_with(name, unnamed)) name.erase(0, unnamed.size());
  return name;
}

/// Whether a function may be the kernel rather than one of those that launch it.
bool may_be_kernel(const Function& function) {
  const std::string name = function.getName().str();
  return !starts_with(name, "_ZN8tilewise4simt") && !starts_with(name, "_ZNK8tilewise4simt") &&
         !starts_with(name, "_ZSt") && !starts_with(name, "_ZNSt") && !starts_with(name, "_ZZ") &&
         name.find("$_") == std::string::npos && name.find("Ul") == std::string::npos;
}

/// Inlines all functions that have a body, level by level.
/// @return why that is impossible
std::string inline_calls(Function& function, std::string& kernel) {
  for (unsigned depth = 0; depth < deepest_calls; ++depth) {
    SmallVector<CallBase*, 32> calls;
    for (Instruction& instruction : instructions(function)) {
      auto* const call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr) continue;
      const Function* const callee = call->getCalledFunction();
      if (callee == nullptr || callee->isDeclaration() || is_collective(*callee)) continue;
      if (kernel.empty() && may_be_kernel(*callee)) {
        kernel = without_signature(demangle(callee->getName().str()));
      }
      calls.push_back(call);
    }
    if (calls.empty()) return "";
    for (CallBase* call : calls) {
      const std::string name = plain_name(*call->getCalledFunction());
      InlineFunctionInfo info;
      if (!InlineFunction(*call, info).isSuccess()) return name + "() cannot be inlined";
      if (function.getInstructionCount() > most_inlined) return "it is too large";
    }
  }
  return "it calls itself, or calls lie too deep";
}

/// Turns constant expressions that lead to a thread's own variable into instructions, so that the
/// variable can be replaced in this function alone.
Value* replaced(Value* value, GlobalVariable* variable, AllocaInst* by, Instruction* before) {
  if (value == variable) return by;
  auto* const expression = dyn_cast<ConstantExpr>(value);
  if (expression == nullptr) return value;
  Instruction* made = nullptr;
  for (unsigned i = 0; i < expression->getNumOperands(); ++i) {
    Value* const operand = expression->getOperand(i);
    Value* const other = replaced(operand, variable, by, made == nullptr ? before : made);
    if (other == operand) continue;
    if (made == nullptr) {
      made = expression->getAsInstruction();
      made->insertBefore(before);
    }
    made->setOperand(i, other);
  }
  // An instruction must come behind those that made its operands.
  if (made != nullptr) made->moveBefore(before);
  return made == nullptr ? value : made;
}

void replace_variable(Function& function, GlobalVariable* variable, AllocaInst* by) {
  SmallVector<Instruction*, 64> all;
  for (Instruction& instruction : instructions(function)) all.push_back(&instruction);
  for (Instruction* instruction : all) {
    for (unsigned i = 0; i < instruction->getNumOperands(); ++i) {
      Instruction* before = instruction;
      if (auto* const phi = dyn_cast<PHINode>(instruction)) {
        before = phi->getIncomingBlock(i)->getTerminator();
      }
      Value* const operand = instruction->getOperand(i);
      Value* const other = replaced(operand, variable, by, before);
      if (other != operand) instruction->setOperand(i, other);
    }
    auto* const call = dyn_cast<IntrinsicInst>(instruction);
    if (call != nullptr &&
        call->getCalledFunction()->getName().startswith("llvm.threadlocal.address") &&
        call->getArgOperand(0) == by) {
      call->replaceAllUsesWith(by);
      call->eraseFromParent();
    }
  }
}

/// Turns threadIdx and similar variables into local variables, which the simplification then takes
/// apart.
void localise_variables(Function& function) {
  for (unsigned which = 0; which < variables_of_threads.size(); ++which) {
    GlobalVariable* const variable =
        function.getParent()->getGlobalVariable(variables_of_threads[which]);
    if (variable == nullptr) continue;
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    AllocaInst* const local = builder.CreateAlloca(variable->getValueType());
    for (unsigned i = 0; i < 3; ++i) {
      builder.CreateStore(function.getArg(thread_x + 3 * which + i),
                          builder.CreateStructGEP(variable->getValueType(), local, i));
    }
    replace_variable(function, variable, local);
  }
}

Function* copy_of(Function& run_thread) {
  LLVMContext& context = run_thread.getContext();
  SmallVector<Type*, thread_arguments> types(thread_arguments, Type::getInt32Ty(context));
  types[context_argument] = run_thread.getArg(0)->getType();
  Function* const copy =
      Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                       GlobalValue::InternalLinkage, "tilewise_thread", run_thread.getParent());
  ValueToValueMapTy values;
  values[run_thread.getArg(0)] = copy->getArg(context_argument);
  SmallVector<ReturnInst*, 4> returns;
  CloneFunctionInto(copy, &run_thread, values, CloneFunctionChangeType::LocalChangesOnly, returns);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setComdat(nullptr);
  // The copy must be open to optimisation whatever attributes run_thread() has.
  copy->removeFnAttr(Attribute::OptimizeNone);
  copy->removeFnAttr(Attribute::NoInline);
  return copy;
}

void drop_hints(Function& function) {
  SmallVector<Instruction*, 64> dropped;
  for (Instruction& instruction : instructions(function)) {
    if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
      switch (intrinsic->getIntrinsicID()) {
        case Intrinsic::lifetime_start:
        case Intrinsic::lifetime_end:
        case Intrinsic::assume:
        case Intrinsic::experimental_noalias_scope_decl:
        case Intrinsic::stacksave:
        case Intrinsic::stackrestore:
          dropped.push_back(&instruction);
          break;
        default:
          break;
      }
    }
  }
  for (Instruction* instruction : dropped) {
    if (!instruction->getType()->isVoidTy()) {
      instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
    }
    instruction->eraseFromParent();
  }
}

/// Simplifies as clang does, but without jump threading and unswitching: these copy code, including
/// barriers, for conditions that threads may not share.
void simplify(Function& function, FunctionAnalysisManager& analyses) {
  FunctionPassManager first;
  first.addPass(make_sroa());
  first.addPass(EarlyCSEPass(true));
  first.addPass(SimplifyCFGPass());
  first.addPass(InstCombinePass());
  first.addPass(SimplifyCFGPass());
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(IndVarSimplifyPass());
  loops.addPass(LoopDeletionPass());
  loops.addPass(LoopFullUnrollPass(3));
  first.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  first.addPass(make_sroa());
  first.addPass(EarlyCSEPass(true));
  first.addPass(InstCombinePass());
  first.addPass(SimplifyCFGPass());
  first.addPass(ADCEPass());
  first.run(function, analyses);
  drop_hints(function);
  analyses.invalidate(function, PreservedAnalyses::none());
}

}  // namespace

bool runs_a_thread(const Function& function) {
  return !function.isDeclaration() &&
         function.getName().startswith("_ZN8tilewise4simt10run_threadI") &&
         function.arg_size() == 1;
}

std::string plain_name(const Function& function) {
  std::string name = demangle(function.getName().str());
  name.erase(std::min(name.find('('), name.size()));
  name.erase(std::min(name.find('<'), name.size()));
  const std::size_t space = name.rfind(' ');
  if (space != std::string::npos) name.erase(0, space + 1);
  return name;
}

bool is_barrier(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallInst>(&instruction);
  return call != nullptr && call->getCalledFunction() != nullptr &&
         call->getCalledFunction()->getName() == "_Z13__syncthreadsPKci";
}

ThreadFunction make_thread_function(Function& run_thread, FunctionAnalysisManager& analyses) {
  ThreadFunction made;
  Function* const copy = copy_of(run_thread);
  stripDebugInfo(*copy);
  made.why_not = inline_calls(*copy, made.kernel);
  if (made.kernel.empty()) made.kernel = "a kernel";
  if (made.why_not.empty()) {
    stripDebugInfo(*copy);
    localise_variables(*copy);
    simplify(*copy, analyses);
    if (copy->getInstructionCount() > most_simplified) {
      made.why_not = "it has " + std::to_string(copy->getInstructionCount()) +
                     " instructions, and up to " + std::to_string(most_simplified) + " are split";
    }
  }
  if (made.why_not.empty()) {
    made.function = copy;
  } else {
    analyses.clear(*copy, copy->getName());
    copy->eraseFromParent();
  }
  return made;
}

}  // namespace tilewise::split
