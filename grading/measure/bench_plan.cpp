#include "grading/measure/bench_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/builder/kernel_registers.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/submission.hpp"
#include "grading/problem/problem.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// A contender that is being compiled, and where its build requests are.
struct Pending {
  ContenderModule module;
  std::optional<std::size_t> checked = {}, fast = {};  // indices into the build requests
  std::unique_ptr<RegisterCompilation> registers = nullptr;
};

class Builds {
 public:
  explicit Builds(const ModuleRequest& request) : request_(request) {}

  void add(const Contender& contender, const std::string& stage, const fs::path& folder,
           bool copies = false) {
    Pending& pending = pending_.emplace_back(Pending{{contender, stage, {}, {}}});
    pending.module.copies = copies;
    BuildRequest build = {stage, folder, Backend::simt, scratch_for(contender, stage),
                          Flavour::checked};
    // A build of Tilewise for GPUs alone has no simulator to count with.
    if (fs::exists(tool("tilewise-worker-simt"))) pending.checked = ask(build);
    pending.registers = std::make_unique<RegisterCompilation>(
        stage, folder, request_.gpu, scratch_for(contender, stage + "-registers"));
    if (request_.backend == Backend::cuda) {
      build.backend = Backend::cuda;
      build.flavour = Flavour::fast;
      build.scratch = scratch_for(contender, stage + "-fast");
      pending.fast = ask(build);
    }
  }

  /// Adds a baseline that exists only on a GPU, and may be missing there, too.
  void add_baseline(const Contender& contender, BuildRequest build) {
    build.scratch = scratch_for(contender, build.stage_id);
    Pending& pending = pending_.emplace_back(Pending{{contender, build.stage_id, {}, {}}});
    pending.module.copies = contender == Contender::copy;
    pending.fast = ask(build);
  }

  void add_not_written(const std::string& stage) {
    ContenderModule module{Contender::student, stage, {}, {}};
    module.problem = tr("not written yet: the files are as they were handed out");
    module.not_written = true;
    pending_.push_back({std::move(module)});
  }

  std::vector<ContenderModule> finish() {
    const std::vector<BuildResult> all_built = build_modules(builds_);
    std::vector<ContenderModule> modules;
    for (Pending& pending : pending_) {
      ContenderModule& module = pending.module;
      const auto take = [&](const std::optional<std::size_t>& which, fs::path& path) {
        if (!which) return;
        const BuildResult& built = all_built[*which];
        path = built.module;
        if (!built.ok && module.problem.empty()) {
          module.problem = tr("cannot be compiled: {}", built.finding.message);
        }
      };
      take(pending.checked, module.checked);
      take(pending.fast, module.fast);
      if (pending.registers) module.compiled = pending.registers->wait();
      if (!module.is_library() || module.problem.empty()) modules.push_back(std::move(module));
    }
    return modules;
  }

 private:
  fs::path scratch_for(const Contender& contender, const std::string& what) const {
    const fs::path folder = request_.scratch / fmt::format("{}-{}", contender.name, what);
    fs::create_directories(folder);
    return folder;
  }

  std::size_t ask(const BuildRequest& build) {
    builds_.push_back(build);
    return builds_.size() - 1;
  }

  const ModuleRequest& request_;
  std::vector<BuildRequest> builds_;
  std::vector<Pending> pending_;
};

}  // namespace

std::vector<ContenderModule> build_contenders(const ModuleRequest& request) {
  const fs::path root = layout().root;
  const std::string& stage = request.stage.id;
  Builds builds(request);
  if (request.student != nullptr) {
    const fs::path folder = request.student->folder_of(request.stage);
    if (is_skeleton(request.stage, folder)) {
      builds.add_not_written(stage);
    } else {
      builds.add(Contender::student, stage, folder);
    }
  }
  builds.add(Contender::solution, stage, root / "solutions" / stage);
  for (const std::string& previous : request.previous_stages) {
    builds.add(Contender::previous_stage, previous, root / "solutions" / previous);
  }
  for (const KernelBeside& kernel : request.beside) {
    builds.add(Contender::beside(kernel.name), stage,
               drawer_of(root, stage) / "beside" / kernel.name, kernel.copies);
  }
  if (request.backend == Backend::cuda) {
    for (const Baseline& baseline : baselines_of(stage)) {
      builds.add_baseline(baseline.uses_cublas ? Contender::cublas : Contender::copy,
                          baseline_build(baseline, stage));
    }
  }
  return builds.finish();
}

namespace {

/// Returns the profile of the backend's card, or the profile asked for if the card is unknown.
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
  throw CannotGrade(tr("--n asks for other orders than the matrices in {} have, {}; leave it out",
                       printable(inputs.A.string()), inputs.order));
}

/// The largest matrices that the simulator takes, in bytes. It needs several times as much memory
/// to keep track of them.
constexpr std::size_t largest_on_simulator = std::size_t{1} << 31;

void demand_room(const BenchPlan& plan, const BenchCase& bench_case, int n) {
  NamedCall call;
  try {
    call = read_call(bench_case.call(n), contracts_of(bench_case.stage));
  } catch (const BadCall& bad) {  // the matrices are far larger than any GPU's memory
    throw CannotGrade(bad.what());
  }
  const std::size_t bytes = bytes_in_memory(call);
  const bool on_simulator = plan.backend.backend == Backend::simt;
  if (on_simulator && bytes > largest_on_simulator) {
    throw CannotGrade(tr("n = {} takes {}; the simulator has room for {}", n, memory_of(call),
                         gigabytes(largest_on_simulator)));
  }
  if (on_simulator) return;
  if (plan.device_memory && bytes > *plan.device_memory) {
    throw CannotGrade(tr("n = {} takes {}; this GPU has {} free", n, memory_of(call),
                         gigabytes(*plan.device_memory)));
  }
  // This counts each worker's matrices, and the memory that the judgement takes.
  const std::size_t workers = 4 + plan.cases.at(bench_case.stage).beside.size();
  const std::size_t on_host = workers * bytes + bytes_to_judge(*bench_case.problem, call);
  const auto available = available_memory();
  if (available && on_host > *available) {
    throw CannotGrade(
        tr("n = {} takes {} of this machine's memory to check the results; {} are available", n,
           gigabytes(on_host), gigabytes(*available)));
  }
}

}  // namespace

namespace {

/// Leaves out the stages that the modelled card cannot run, since one card is modelled for all
/// stages. If it can run none of them, an H200 takes its place.
void choose_simulated_gpu(BenchPlan& plan) {
  const auto can_run_it = [&](const StageInfo& stage) { return can_run(plan.gpu, stage); };
  if (std::ranges::none_of(plan.stages, can_run_it)) {
    plan.gpu = simulated_gpu(plan.stages.front(), plan.gpu);
    plan.backend.device = modelled_device(plan.gpu.id);
  }
  const auto others = std::ranges::stable_partition(plan.stages, can_run_it);
  for (const StageInfo& stage : others) plan.left_out.push_back(stage.id);
  plan.stages.erase(others.begin(), others.end());
}

}  // namespace

BenchPlan make_plan(const BenchOptions& options) {
  if (options.solutions && !options.submission.empty()) {
    throw CannotGrade(tr("--solutions and --submission exclude each other"));
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
  plan.total = options.total;
  plan.cases = load_bench_cases(layout().root);
  plan.backend = choose_backend(options);
  plan.mean_of_ten = options.timing == "mean10";
  if (plan.mean_of_ten && plan.backend.backend == Backend::simt) {
    throw CannotGrade(
        tr("--timing mean10 times calls on a GPU, and here times are modelled; leave it out, or "
           "add --backend cuda where there is a GPU"));
  }
  plan.gpu = profile_for(plan.backend, options.gpu);
  if (plan.backend.backend == Backend::simt) choose_simulated_gpu(plan);
  if (plan.backend.backend == Backend::cuda) plan.device_memory = free_gpu_memory();
  for (const StageInfo& stage : plan.stages) {
    for (const BenchCase& bench_case : plan.cases.at(stage.id).cases) {
      for (const int n : plan.orders_of(stage.id)) demand_room(plan, bench_case, n);
    }
  }
  return plan;
}

}  // namespace tilewise::grading
