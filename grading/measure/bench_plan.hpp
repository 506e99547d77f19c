#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/builder/builder.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/measure/commands.hpp"
#include "grading/problem/product_store.hpp"
#include "grading/profile/modelled_time.hpp"

namespace tilewise::grading {

/// A contender's kernels, compiled.
struct ContenderModule {
  Contender contender;
  std::string stage;                          ///< the stage whose functions it has
  std::filesystem::path checked;              ///< for the simulator; empty if nothing is counted
  std::filesystem::path fast;                 ///< for a GPU; empty on the simulator
  std::vector<CompiledKernel> compiled = {};  ///< by nvcc, if it is found
  /// Why the module cannot be run; empty if it can.
  std::string problem = {};
  bool not_written = false;  ///< the problem is that the kernels are not written yet
  bool copies = false;       ///< it does not compute what the contract asks for

  /// Whether the kernels belong to a library, whose launches cannot be observed.
  bool is_library() const { return contender == Contender::cublas || contender == Contender::copy; }

  /// Whether this CUDA error is cudaErrorNotSupported from a contender that may lack a function, or
  /// may need what the card lacks. Such a contender is there only for comparison, and is left out
  /// then.
  bool may_lack(const std::string& cuda_error) const {
    return (is_library() || contender.kind == Contender::Kind::beside) &&
           cuda_error == "cudaErrorNotSupported";
  }
};

/// Whose kernels to compile, and for what.
struct ModuleRequest {
  StageInfo stage;
  std::set<std::string> previous_stages;  ///< the stages whose solutions this one is compared with
  std::vector<KernelBeside> beside;       ///< the stage's own kernels beside
  const Submission* student = nullptr;    ///< null: no student's kernels
  Backend backend = Backend::simt;
  core::GpuProfile gpu;           ///< the GPU for which nvcc counts registers
  std::filesystem::path scratch;  ///< an existing folder for all files
};

/// Compiles all contenders in parallel.
std::vector<ContenderModule> build_contenders(const ModuleRequest& request);

/// What `lab bench` is to do. The plan is checked as far as that is possible beforehand.
struct BenchPlan {
  std::vector<StageInfo> stages;
  std::vector<std::string> left_out;  ///< stages that need another card
  ChosenBackend backend;
  core::GpuProfile gpu;  ///< the GPU to model; when measuring, the profile most like the real GPU
  std::optional<Submission> student;  ///< nothing: only solutions are measured
  InputChoice inputs;
  std::filesystem::path store;
  bool mean_of_ten = false;                  ///< also times ten calls as one, beside the median
  bool total = false;                        ///< also times copies
  std::map<std::string, StageCases> cases;   ///< by stage
  std::vector<int> orders;                   ///< empty: each stage's own
  std::optional<std::size_t> device_memory;  ///< free bytes; nothing if not known

  const std::vector<int>& orders_of(const std::string& stage) const {
    return orders.empty() ? cases.at(stage).orders.at(backend.backend) : orders;
  }
};

/// Makes the plan.
/// @throws CannotGrade, std::runtime_error if a part of the request cannot be met: an unknown stage
/// or GPU, files that cannot be read, matrices that do not fit
BenchPlan make_plan(const BenchOptions& options);

}  // namespace tilewise::grading
