// A pass for clang (-fpass-plugin) that splits kernels at their barriers: between two barriers
// there are loops over the threads of a block, and values that a thread keeps across a barrier lie
// in memory.

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <cstdlib>
#include <optional>

#include "common/simt/split/agreement.hpp"
#include "common/simt/split/inductions.hpp"
#include "common/simt/split/llvm_versions.hpp"
#include "common/simt/split/plan.hpp"
#include "common/simt/split/registration.hpp"
#include "common/simt/split/row_function.hpp"
#include "common/simt/split/thread_function.hpp"

namespace tilewise::split {
namespace {

using namespace llvm;

MDNode* property(LLVMContext& context, const char* name, std::optional<unsigned> value = {}) {
  SmallVector<Metadata*, 2> parts = {MDString::get(context, name)};
  if (value) {
    parts.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), *value)));
  }
  return MDNode::get(context, parts);
}

/// Makes the compiler vectorise the loops over a row's threads and change nothing else about them.
/// @param width  threads of every row; 0: not known
void guide_loops(Function& row, unsigned width) {
  LLVMContext& context = row.getContext();
  const auto constant = [&](unsigned value) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt1Ty(context), value));
  };
  for (BasicBlock& block : row) {
    Instruction& end = *block.getTerminator();
    MDNode* const usual = end.getMetadata(row_loop_mark);
    if (usual == nullptr && end.getMetadata(wrapping_loop_mark) == nullptr) continue;
    SmallVector<Metadata*, 8> parts = {nullptr, property(context, "llvm.loop.unroll.disable")};
    parts.push_back(MDNode::get(context, {MDString::get(context, "llvm.loop.vectorize.enable"),
                                          constant(usual != nullptr)}));
    if (usual != nullptr) {
      parts.push_back(MDNode::get(
          context, {MDString::get(context, "llvm.loop.parallel_accesses"), usual->getOperand(0)}));
      if (width != 0) {
        parts.push_back(property(context, "llvm.loop.vectorize.width", width));
        parts.push_back(property(context, "llvm.loop.interleave.count", 1));
      }
    }
    MDNode* const loop = MDNode::getDistinct(context, parts);
    loop->replaceOperandWith(0, loop);
    end.setMetadata(row_loop_mark, nullptr);
    end.setMetadata(wrapping_loop_mark, nullptr);
    end.setMetadata(LLVMContext::MD_loop, loop);
  }
}

/// A row's function for rows of one width, vectorised.
Function* of_width(Function& row, unsigned width, FunctionAnalysisManager& analyses) {
  ValueToValueMapTy values;
  Function* const copy = CloneFunction(&row, values);
  copy->setName("tilewise_row_of_" + (width == 0 ? std::string("any") : std::to_string(width)));
  if (width != 0) {
    Argument* const threads = copy->getArg(row_threads);
    threads->replaceAllUsesWith(ConstantInt::get(threads->getType(), width));
  }
  guide_loops(*copy, width);
  FunctionPassManager passes;
  passes.addPass(make_sroa());
  passes.addPass(InstCombinePass());
  passes.addPass(LoopVectorizePass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(make_sroa());
  passes.addPass(EarlyCSEPass(true));
  passes.run(*copy, analyses);
  return copy;
}

class SplitPass : public PassInfoMixin<SplitPass> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    std::vector<Function*> runners;
    for (Function& function : module) {
      if (runs_a_thread(function)) runners.push_back(&function);
    }
    std::vector<SplitKernel> kernels;
    std::string report;
    for (Function* runner : runners) {
      ThreadFunction thread = make_thread_function(*runner, functions);
      std::string why_not = thread.why_not;
      if (thread.function != nullptr) {
        why_not = split(*runner, *thread.function, functions, kernels);
      }
      report += thread.kernel + "\t" + why_not + "\n";
    }
    register_kernels(module, kernels);
    for (Function* function : threads_) {
      functions.clear(*function, function->getName());
      function->eraseFromParent();
    }
    tell(report);
    return runners.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
  }

 private:
  /// @return why the kernel is not split; empty if it is
  std::string split(Function& runner, Function& thread, FunctionAnalysisManager& analyses,
                    std::vector<SplitKernel>& kernels) {
    threads_.push_back(&thread);
    let_rows_agree(thread, analyses);
    take_inductions_apart(thread, analyses);
    const Plan plan(thread, analyses);
    if (!plan.why_not().empty()) return plan.why_not();
    const RowFunction row = make_row_function(thread, plan);
    threads_.push_back(row.function);
    if (!row.why_not.empty()) return row.why_not;
    if (verifyFunction(*row.function, &errs())) return "the pass made a mistake of its own";
    kernels.push_back({&runner, of_width(*row.function, row_width, analyses),
                       of_width(*row.function, row_width / 2, analyses),
                       of_width(*row.function, 0, analyses), row.state_bytes, plan.barriers()});
    return "";
  }

  /// Writes a line for each kernel, if somebody asks for it: its name, and why it is not split.
  static void tell(const std::string& report) {
    const char* const path = std::getenv("TILEWISE_SPLIT_REPORT");
    if (path == nullptr || report.empty()) return;
    std::error_code error;
    raw_fd_ostream file(path, error, sys::fs::OF_Append);
    if (!error) file << report;
  }

  std::vector<Function*> threads_;  ///< erased in the end
};

}  // namespace
}  // namespace tilewise::split

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "tilewise-split", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
                  if (level == llvm::OptimizationLevel::O0) return;
                  passes.addPass(tilewise::split::SplitPass());
                });
          }};
}
