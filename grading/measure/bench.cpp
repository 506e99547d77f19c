#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/bench/bench_figures.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/bench/bench_text.hpp"
#include "grading/bench/contenders.hpp"
#include "grading/builder/layout.hpp"
#include "grading/labreport/lab_report.hpp"
#include "grading/measure/bench_calls.hpp"
#include "grading/measure/bench_plan.hpp"
#include "grading/measure/commands.hpp"
#include "grading/problem/problem.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/results/files.hpp"
#include "grading/results/result.hpp"
#include "grading/results/terminal.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

/// Larger matrices are not simulated beside measurements: the simulator keeps much state for each
/// element, and the counts would say nothing new.
constexpr int largest_counted = 8192;

/// Larger results are not judged on the simulator, because the CPU would take longer to compute the
/// reference than everything else.
constexpr int largest_judged_on_simulator = 4096;

/// One contender's call in a case.
struct Part {
  const ContenderModule* module;
  NamedCall call;
};

class StageBench {
 public:
  StageBench(const BenchPlan& plan, const StageInfo& stage, TerminalReport& terminal)
      : plan_(plan),
        stage_(stage),
        cases_(plan.cases.at(stage.id)),
        orders_(plan.orders_of(stage.id)),
        on_gpu_(plan.backend.backend == Backend::cuda),
        terminal_(terminal) {
    terminal.show_progress(tr("{}: compiling", stage.id));
    modules_ = build_contenders({stage, previous_stages(), cases_.beside,
                                 plan.student ? &*plan.student : nullptr, plan.backend.backend,
                                 plan.gpu, scratch_.path()});
    has_cublas_ = std::ranges::count(modules_, Contender::cublas, &ContenderModule::contender) > 0;
    if (on_gpu_)
      timing_.emplace(tool("tilewise-worker-cuda"), plan.gpu, shared_bytes(), plan.device_memory,
                      plan.mean_of_ten);
  }

  std::vector<BenchRow> run() {
    for (const ContenderModule& module : modules_) {
      if (!module.problem.empty()) add_problem_rows(module);
    }
    const std::size_t total = orders_.size() * cases_.cases.size();
    std::size_t done = 0;
    for (const int n : orders_) {
      workloads_.clear();
      for (const BenchCase& bench_case : cases_.cases) {
        throw_if_interrupted();
        terminal_.show_progress(bench_case.call(n), done++, total);
        run_case(bench_case, n);
      }
    }
    if (on_gpu_) add_measured_instructions();
    set_speedups(rows_, cases_.cases);
    return sorted();
  }

 private:
  std::set<std::string> previous_stages() const {
    std::set<std::string> found;
    for (const BenchCase& bench_case : cases_.cases) {
      for (const int n : orders_) {
        if (const auto previous = bench_case.previous(n, plan_.backend.backend)) {
          found.insert(previous->stage);
        }
      }
    }
    return found;
  }

  bool is_judged(int n) const { return on_gpu_ || n <= largest_judged_on_simulator; }

  /// Returns the bytes of the largest matrices whose values are judged.
  std::size_t shared_bytes() const {
    std::size_t most = 0;
    for (const BenchCase& bench_case : cases_.cases) {
      for (const int n : orders_) {
        if (is_judged(n)) most = std::max(most, bytes_in_memory(own_call(bench_case, n)));
      }
    }
    return most;
  }

  NamedCall own_call(const BenchCase& bench_case, int n) const {
    return read_call(bench_case.call(n), contracts_of(stage_.id));
  }

  static BenchRow blank_row(const BenchCase& bench_case, const Contender& contender, int n) {
    BenchRow row;
    row.stage = bench_case.stage;
    row.function = bench_case.function;
    row.block = bench_case.block;
    row.contender = contender;
    row.n = n;
    return row;
  }

  /// Adds one row for each function, rather than for each call.
  void add_problem_rows(const ContenderModule& module) {
    std::set<std::string> functions;
    for (const BenchCase& bench_case : cases_.cases) {
      if (!functions.insert(bench_case.function).second) continue;
      BenchRow row = blank_row(bench_case, module.contender, 0);
      row.block.clear();
      row.problem = module.problem;
      row.not_written = module.not_written;
      rows_.push_back(std::move(row));
    }
  }

  void run_case(const BenchCase& bench_case, int n) {
    const std::vector<Part> parts = parts_of(bench_case, n);
    if (const std::string obstacle = bench_case.problem->obstacle_to(plan_.inputs);
        !obstacle.empty()) {
      for (const Part& part : parts) {
        BenchRow row = blank_row(bench_case, part.module->contender, n);
        row.call = part.call.text;
        row.problem = obstacle;
        row.excused = true;
        rows_.push_back(std::move(row));
      }
      return;
    }
    on_gpu_ ? add_measured_rows(bench_case, n, parts) : add_modelled_rows(bench_case, n, parts);
    if (!has_cublas_) add_cpu_row(bench_case, n);
  }

  /// Returns the contenders' calls. It leaves out contenders that cannot run or have no part in
  /// this case.
  std::vector<Part> parts_of(const BenchCase& bench_case, int n) const {
    std::vector<Part> parts;
    const auto previous = bench_case.previous(n, plan_.backend.backend);
    for (const ContenderModule& module : modules_) {
      if (!module.problem.empty()) continue;
      if (module.contender != Contender::previous_stage) {
        parts.push_back({&module, own_call(bench_case, n)});
      } else if (previous && previous->stage == module.stage) {
        parts.push_back({&module, read_call(previous->call, contracts_of(previous->stage))});
      }
    }
    return parts;
  }

  const Workload& workload_of(const BenchCase& bench_case, const NamedCall& call) {
    const Task task = task_of(*bench_case.problem, call);
    std::unique_ptr<Workload>& workload = workloads_[task];
    if (!workload) {
      workload = bench_case.problem->pose(call, plan_.inputs, plan_.store);
    }
    return *workload;
  }

  void add_modelled_rows(const BenchCase& bench_case, int n, const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      BenchRow row = blank_row(bench_case, part.module->contender, n);
      row.call = part.call.text;
      const Workload* const workload = is_judged(n) ? &workload_of(bench_case, part.call) : nullptr;
      const SimulatedCall& simulated = simulate(part, workload);
      if (simulated.is_absent) continue;
      row.problem = simulated.problem;
      row.right = simulated.right;
      if (row.problem.empty()) {
        set_figures(row, bench_case, part, simulated);
        if (const auto time = modelled_call(simulated.profile)) {
          set_modelled(row, part.call, *time);
          if (plan_.total) row.total_ms = modelled_total_ms(part.call, plan_.gpu, row.ms);
        } else {
          set_why_no_time(row, simulated.profile);
        }
      }
      rows_.push_back(std::move(row));
    }
  }

  static void set_figures(BenchRow& row, const BenchCase& bench_case, const Part& part,
                          const SimulatedCall& simulated) {
    set_counts(row, part.call, simulated.profile);
    // The formula is for the stage's own call.
    if (row.contender != Contender::previous_stage) set_formula(row, bench_case, part.call);
  }

  /// Simulates a call once and keeps the result, since several cases are compared with the same
  /// call of the previous stage.
  const SimulatedCall& simulate(const Part& part, const Workload* workload) {
    const auto [known, is_new] = simulated_.try_emplace({part.module->contender, part.call.text});
    if (is_new) {
      auto simulation = simulations_
                            .try_emplace(part.module, *part.module, plan_.gpu,
                                         workload == nullptr ? 0 : shared_bytes())
                            .first;
      known->second = simulation->second.run(part.call, workload);
    }
    return known->second;
  }

  void add_measured_rows(const BenchCase& bench_case, int n, const std::vector<Part>& parts) {
    std::vector<TimingRequest> requests;
    for (const Part& part : parts) requests.push_back({part.module, part.call});
    const std::vector<TimedCall> timed =
        timing_->run(requests, workload_of(bench_case, own_call(bench_case, n)),
                     *bench_case.problem, plan_.total);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (timed[i].is_absent) continue;
      BenchRow row = blank_row(bench_case, parts[i].module->contender, n);
      row.call = parts[i].call.text;
      row.problem = timed[i].problem;
      row.right = timed[i].right;
      if (row.problem.empty()) {
        set_time(row, parts[i].call, timed[i].ms);
        row.mean_ms = timed[i].mean_ms;
        if (plan_.total) row.total_ms = timed[i].ms + timed[i].copies_ms;
        if (!parts[i].module->checked.empty() && n <= largest_counted) {
          set_counts_beside_time(row, bench_case, parts[i]);
        }
      }
      rows_.push_back(std::move(row));
    }
  }

  /// Adds the simulator's counts to the row of a call that has been timed.
  void set_counts_beside_time(BenchRow& row, const BenchCase& bench_case, const Part& part) {
    const SimulatedCall& simulated = simulate(part, nullptr);
    if (!simulated.problem.empty()) return;  // the call did run on the GPU
    set_figures(row, bench_case, part, simulated);
    if (const auto time = modelled_call(simulated.profile)) {
      row.gips = time->gips * time->ms / row.ms;
      row.limiter = time->limiter;
    }
  }

  /// Replaces modelled GIPS by values that Nsight Compute measures.
  void add_measured_instructions() {
    timing_.reset();  // frees the workers' memory on the GPU
    const auto nsight_compute = find_nsight_compute();
    if (!nsight_compute) return;
    for (const ContenderModule& module : modules_) {
      if (!module.problem.empty() || module.is_library()) continue;
      terminal_.show_progress(tr("{}: Nsight Compute counts instructions", stage_.id));
      std::vector<BenchRow*> rows;
      std::vector<NamedCall> calls;
      for (BenchRow& row : rows_) {
        if (row.contender != module.contender || row.rate == 0) continue;
        rows.push_back(&row);
        const bool is_known = std::ranges::count(calls, row.call, &NamedCall::text) > 0;
        if (!is_known) calls.push_back(read_call(row.call, contracts_of(module.stage)));
      }
      const auto counts = count_instructions(
          *nsight_compute,
          timing_worker_options(tool("tilewise-worker-cuda"), module.fast, plan_.gpu), calls,
          scratch_.path());
      for (BenchRow* row : rows) {
        const auto count = counts.find(row->call);
        if (count == counts.end()) continue;
        row->gips = count->second / row->ms * 1e-6;
        row->gips_measured = true;
      }
    }
  }

  void add_cpu_row(const BenchCase& bench_case, int n) {
    const NamedCall call = own_call(bench_case, n);
    const Task task = task_of(*bench_case.problem, call);
    const auto [known, is_new] = cpu_ms_.try_emplace(task);
    if (is_new) known->second = cpu_ms(task);
    if (!known->second) return;
    BenchRow row = blank_row(bench_case, Contender::openblas, n);
    row.call = call.text;
    set_time(row, call, known->second->median);
    row.uncertainty_pct = 100 * known->second->relative_error();
    rows_.push_back(std::move(row));
  }

  std::vector<BenchRow> sorted() {
    const auto place = [&](const BenchRow& row) {
      const auto function = std::ranges::find(stage_.functions, row.function);
      const auto block = std::ranges::find_if(cases_.cases, [&](const BenchCase& bench_case) {
        return bench_case.function == row.function && bench_case.block == row.block;
      });
      return std::tuple(function - stage_.functions.begin(), row.n > 0,
                        block - cases_.cases.begin(), row.contender, row.n);
    };
    std::ranges::stable_sort(rows_, {}, place);
    return std::move(rows_);
  }

  const BenchPlan& plan_;
  const StageInfo& stage_;
  const StageCases& cases_;
  const std::vector<int>& orders_;
  bool on_gpu_;
  bool has_cublas_ = false;
  TerminalReport& terminal_;
  ScratchDirectory scratch_;
  std::vector<ContenderModule> modules_;
  std::map<Task, std::unique_ptr<Workload>> workloads_;  // for the current order only
  std::map<const ContenderModule*, BenchSimulation> simulations_;
  std::map<std::pair<Contender, std::string>, SimulatedCall> simulated_;
  std::optional<BenchTiming> timing_;
  std::map<Task, std::optional<core::Interval>> cpu_ms_;
  std::vector<BenchRow> rows_;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[sizeof "2026-11-21"];
  std::strftime(text, sizeof text, "%F", std::localtime(&now));
  return text;
}

/// Returns the command that repeats the measurement.
std::string command_of(const BenchOptions& options) {
  std::string command = "lab bench";
  const auto add = [&](const std::string& words) { command += " " + words; };
  for (const std::string& stage : options.stages) add(stage);
  if (options.solutions) add("--solutions");
  if (!options.submission.empty()) add("--submission " + options.submission.string());
  if (options.backend != "auto") add("--backend " + options.backend);
  add("--gpu " + options.gpu);
  if (options.device != "auto") add("--device " + options.device);
  if (options.timing != "median") add("--timing " + options.timing);
  if (!options.orders.empty()) add(fmt::format("--n {}", fmt::join(options.orders, ",")));
  add("--inputs " + options.inputs);
  if (options.total) add("--total");
  if (options.inputs == "random") add(fmt::format("--seed {}", options.seed));
  return command;
}

}  // namespace

BenchReport measure(const BenchOptions& options) {
  const BenchPlan plan = make_plan(options);
  BenchReport report;
  report.modelled = plan.backend.backend == Backend::simt;
  report.device = plan.backend.device;
  report.command = command_of(options);
  report.date = today();
  report.inputs = describe(plan.inputs);
  report.gpu = plan.gpu;
  for (const std::string& stage : plan.left_out) {
    fmt::print(stderr, "{}",
               tr("{} is left out: a {} lacks what it needs. 'lab bench {}' models an H200.\n",
                  stage, plan.gpu.name, stage.substr(0, stage.find('_'))));
  }
  TerminalReport terminal(std::cout, style_of_standard_output());
  for (const StageInfo& stage : plan.stages) {
    std::ranges::move(StageBench(plan, stage, terminal).run(), std::back_inserter(report.rows));
    std::ranges::copy(plan.cases.at(stage.id).beside, std::back_inserter(report.beside));
  }
  terminal.clear_progress();
  return report;
}

bool bench(const BenchOptions& options) {
  if (!options.csv.empty() || !options.json.empty()) core::speak_english();
  demand_writable(options.csv);
  demand_writable(options.json);
  demand_folder("--plots", options.plots);
  const BenchReport report = measure(options);
  std::cout << bench_table(report) << std::flush;
  if (!options.csv.empty()) write_output(options.csv, bench_csv(report));
  if (!options.json.empty()) write_output(options.json, to_file(bench_document(report)));
  if (!options.plots.empty()) write_charts(options.plots, report);
  return is_sound(report);
}

}  // namespace tilewise::grading
