#include "grading/cli/bench_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/paths.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/problem/problem.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/report/printable.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

/// The profile of a card of that name; of another one, what was asked for.
core::GpuProfile profile_for(const ChosenBackend& backend, const std::string& wanted) {
  const core::GpuProfile fallback = core::gpu_profile(wanted);
  if (backend.backend == Backend::simt) return fallback;
  const auto known = core::load_gpu_profiles(core::project_root() / "common/gpu/gpus.json");
  const auto same = std::ranges::find_if(known, [&](const core::GpuProfile& gpu) {
    return backend.device.find(gpu.name) != std::string::npos;
  });
  return same == known.end() ? fallback : *same;
}

std::vector<int> orders_for(const std::vector<int>& wanted, const InputChoice& inputs) {
  std::vector<int> orders = wanted;
  std::ranges::sort(orders);
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  if (inputs.order == 0 || orders == std::vector{inputs.order}) return orders;
  if (orders.empty()) return {inputs.order};
  throw CannotGrade(
      fmt::format("--n asks for other orders than the matrices in {} have, {}; leave it out",
                  printable(inputs.A.string()), inputs.order));
}

/// The largest matrices that the simulator takes: it keeps several times as much about them.
constexpr std::size_t largest_on_simulator = std::size_t{1} << 31;

void demand_room(const BenchPlan& plan, const BenchCase& bench_case, int n) {
  NamedCall call;
  try {
    call = read_call(bench_case.call(n), contracts_of(bench_case.stage));
  } catch (const BadCall& bad) {  // far larger than any GPU
    throw CannotGrade(bad.what());
  }
  const std::size_t bytes = bytes_in_memory(call);
  const bool on_simulator = plan.backend.backend == Backend::simt;
  if (on_simulator && bytes > largest_on_simulator) {
    throw CannotGrade(fmt::format("n = {} takes {}; the simulator has room for {}", n,
                                  memory_of(call), gigabytes(largest_on_simulator)));
  }
  if (on_simulator) return;
  if (plan.device_memory && bytes > *plan.device_memory) {
    throw CannotGrade(fmt::format("n = {} takes {}; this GPU has {} free", n, memory_of(call),
                                  gigabytes(*plan.device_memory)));
  }
  // Each worker's matrices, and what the judgement takes.
  constexpr std::size_t workers = 4;
  const std::size_t on_host = workers * bytes + bytes_to_judge(*bench_case.problem, call);
  const auto available = available_memory();
  if (available && on_host > *available) {
    throw CannotGrade(fmt::format(
        "n = {} takes {} of this machine's memory to check the results; {} are available", n,
        gigabytes(on_host), gigabytes(*available)));
  }
}

}  // namespace

BenchPlan make_plan(const BenchOptions& options) {
  if (options.solutions && !options.submission.empty()) {
    throw CannotGrade("--solutions and --submission exclude each other");
  }
  BenchPlan plan;
  plan.stages = choose_stages(options.stages, stages());
  plan.inputs = read_input_choice(options.inputs, options.seed);
  plan.orders = orders_for(options.orders, plan.inputs);
  if (!options.solutions) {
    plan.student = choose_submission(options, plan.stages);
  }
  demand_folder("--store", options.store);
  plan.store = options.store;
  plan.cases = load_bench_cases(layout().root);
  plan.backend = choose_backend(options);
  plan.gpu = profile_for(plan.backend, options.gpu);
  if (plan.backend.backend == Backend::cuda) plan.device_memory = free_gpu_memory();
  for (const StageInfo& stage : plan.stages) {
    for (const BenchCase& bench_case : plan.cases.at(stage.id).cases) {
      for (const int n : plan.orders_of(stage.id)) demand_room(plan, bench_case, n);
    }
  }
  return plan;
}

}  // namespace tilewise::grading
