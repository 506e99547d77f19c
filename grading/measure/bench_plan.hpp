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
  std::string stage;                          ///< whose functions it has
  std::filesystem::path checked;              ///< for the simulator; empty where it is not counted
  std::filesystem::path fast;                 ///< for a GPU; empty on the simulator
  std::vector<CompiledKernel> compiled = {};  ///< by nvcc, where it is found
  /// Why it cannot be run; empty where it can.
  std::string problem = {};
  bool not_written = false;  ///< that is the reason
  bool copies = false;       ///< what it computes is not what the contract asks for

  /// One of a library, whose launches are not seen.
  bool is_library() const { return contender == Contender::cublas || contender == Contender::copy; }

  /// Whether it may lack a function, or the card what it takes, as a status of
  /// cudaErrorNotSupported says: it is there to be compared with, and left out then.
  bool may_lack(const std::string& cuda_error) const {
    return (is_library() || contender.kind == Contender::Kind::beside) &&
           cuda_error == "cudaErrorNotSupported";
  }
};

/// Whose kernels to compile, and for what.
struct ModuleRequest {
  StageInfo stage;
  std::set<std::string> previous_stages;  ///< whose solutions the stage is compared with
  std::vector<KernelBeside> beside;       ///< that the stage has
  const Submission* student = nullptr;    ///< null: left out
  Backend backend = Backend::simt;
  core::GpuProfile gpu;           ///< whose registers nvcc is asked for
  std::filesystem::path scratch;  ///< existing folder for all files
};

/// Compiles them all, side by side.
std::vector<ContenderModule> build_contenders(const ModuleRequest& request);

/// What `lab bench` is to do, checked as far as it can be beforehand.
struct BenchPlan {
  std::vector<StageInfo> stages;
  std::vector<std::string> left_out;  ///< stages that need another card
  ChosenBackend backend;
  core::GpuProfile gpu;               ///< to model; on a GPU the one most like it
  std::optional<Submission> student;  ///< none: solutions alone
  InputChoice inputs;
  std::filesystem::path store;
  bool mean_of_ten = false;                  ///< ten calls timed as one, beside the median
  bool total = false;                        ///< copies are timed, too
  std::map<std::string, StageCases> cases;   ///< by stage
  std::vector<int> orders;                   ///< empty: those of each stage
  std::optional<std::size_t> device_memory;  ///< that is free; nothing where it is not known

  const std::vector<int>& orders_of(const std::string& stage) const {
    return orders.empty() ? cases.at(stage).orders.at(backend.backend) : orders;
  }
};

/// @throws CannotGrade, std::runtime_error where something of it cannot be had: an unknown stage or
/// GPU, files that cannot be read, matrices that do not fit
BenchPlan make_plan(const BenchOptions& options);

}  // namespace tilewise::grading
