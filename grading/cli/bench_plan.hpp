#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/bench.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/problem/input_choice.hpp"

namespace tilewise::grading {

/// What `lab bench` is to do, checked as far as it can be beforehand.
struct BenchPlan {
  std::vector<StageInfo> stages;
  ChosenBackend backend;
  core::GpuProfile gpu;               ///< to model; on a GPU the one most like it
  std::optional<Submission> student;  ///< none: solutions alone
  InputChoice inputs;
  std::filesystem::path store;
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
