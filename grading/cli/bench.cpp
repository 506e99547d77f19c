#include "grading/cli/bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "grading/bench/bench_cases.hpp"
#include "grading/bench/bench_figures.hpp"
#include "grading/bench/bench_table.hpp"
#include "grading/bench/cpu_library.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/scratch_directory.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/bench_modules.hpp"
#include "grading/cli/bench_simulation.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/cli/submission.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/report/json.hpp"
#include "grading/report/terminal.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

/// What is to be measured, checked as far as it can be before.
struct Plan {
  std::vector<StageInfo> stages;
  ChosenBackend backend;
  core::GpuProfile gpu;
  Submission student;
  std::map<std::string, StageCases> cases;
};

Plan plan_of(const BenchOptions& options) {
  Plan plan;
  plan.stages = choose_stages(options.stages, stages());
  plan.backend = choose_backend(options.backend, options.gpu, options.device);
  plan.gpu = core::gpu_profile(options.gpu);
  plan.student = choose_submission(false, options.submission, plan.stages);
  plan.cases = load_bench_cases(layout().root / "grading" / "bench" / "cases.json");
  return plan;
}

/// A row before its contender has run.
BenchRow blank_row(const BenchCase& bench_case, Contender contender, int n) {
  BenchRow row;
  row.stage = bench_case.stage;
  row.function = bench_case.function;
  row.block = bench_case.block;
  row.contender = contender;
  row.n = n;
  return row;
}

/// The rows of one stage.
class StageBench {
 public:
  StageBench(const Plan& plan, const StageInfo& stage, const BenchOptions& options,
             TerminalReport& terminal)
      : plan_(plan),
        stage_(stage),
        cases_(plan.cases.at(stage.id)),
        orders_(options.orders.empty() ? cases_.orders.at(plan.backend.backend) : options.orders),
        terminal_(terminal) {
    terminal.show_progress(stage.id + ": compiling");
    modules_ =
        build_contenders({stage, previous_stages(), options.solutions ? nullptr : &plan.student,
                          plan.backend.backend, plan.gpu, scratch_.path()});
  }

  std::vector<BenchRow> run() {
    for (const ContenderModule& module : modules_) {
      if (!module.problem.empty()) add_problem_rows(module);
    }
    const std::size_t total = orders_.size() * cases_.cases.size();
    std::size_t done = 0;
    for (const int n : orders_) {
      for (const BenchCase& bench_case : cases_.cases) {
        terminal_.show_progress(bench_case.call(n), done++, total);
        run_case(bench_case, n);
      }
    }
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

  /// Once for each function, rather than for each call.
  void add_problem_rows(const ContenderModule& module) {
    std::set<std::string> functions;
    for (const BenchCase& bench_case : cases_.cases) {
      if (!functions.insert(bench_case.function).second) continue;
      BenchRow row = blank_row(bench_case, module.contender, 0);
      row.block.clear();
      row.problem = module.problem;
      rows_.push_back(std::move(row));
    }
  }

  void run_case(const BenchCase& bench_case, int n) {
    for (const ContenderModule& module : modules_) {
      if (!module.problem.empty()) continue;
      if (const auto call = call_of(module, bench_case, n)) {
        add_simulated_row(bench_case, n, module, *call);
      }
    }
    add_cpu_row(bench_case, n);
  }

  /// The call that the contender makes; nothing where it has no part in this case.
  std::optional<NamedCall> call_of(const ContenderModule& module, const BenchCase& bench_case,
                                   int n) const {
    if (module.contender != Contender::previous_stage) {
      return read_call(bench_case.call(n), contracts_of(stage_.id));
    }
    const auto previous = bench_case.previous(n, plan_.backend.backend);
    if (!previous || previous->stage != module.stage) return std::nullopt;
    return read_call(previous->call, contracts_of(previous->stage));
  }

  void add_simulated_row(const BenchCase& bench_case, int n, const ContenderModule& module,
                         const NamedCall& call) {
    BenchRow row = blank_row(bench_case, module.contender, n);
    row.call = call.text;
    const SimulatedCall& simulated = simulate(module, call);
    row.problem = simulated.problem;
    if (row.problem.empty()) {
      set_counts(row, call, simulated.profile);
      if (module.contender != Contender::previous_stage) set_formula(row, bench_case, call);
      if (const auto time = modelled_call(simulated.profile)) {
        set_modelled(row, call, *time);
      } else {
        row.problem = why_no_time(simulated.profile);
      }
    }
    rows_.push_back(std::move(row));
  }

  /// Several cases are compared with the same call of the previous stage.
  const SimulatedCall& simulate(const ContenderModule& module, const NamedCall& call) {
    const auto [known, is_new] = simulated_.try_emplace({module.contender, call.text});
    if (is_new) {
      auto simulation = simulations_.try_emplace(&module, module, plan_.gpu).first;
      known->second = simulation->second.run(call);
    }
    return known->second;
  }

  void add_cpu_row(const BenchCase& bench_case, int n) {
    const NamedCall call = read_call(bench_case.call(n), contracts_of(stage_.id));
    const auto work = cpu_work_of(bench_case.problem, call);
    if (!work) return;
    const auto [known, is_new] = cpu_ms_.try_emplace(*work);
    if (is_new) known->second = cpu_ms(*work);
    BenchRow row = blank_row(bench_case, Contender::openblas, n);
    row.call = call.text;
    set_time(row, call, known->second);
    rows_.push_back(std::move(row));
  }

  /// By function, block, contender and n.
  std::vector<BenchRow> sorted() {
    const auto place = [&](const BenchRow& row) {
      const auto& functions = stage_.functions;
      const auto function = std::ranges::find(functions, row.function) - functions.begin();
      const auto block = std::ranges::find_if(cases_.cases,
                                              [&](const BenchCase& bench_case) {
                                                return bench_case.function == row.function &&
                                                       bench_case.block == row.block;
                                              }) -
                         cases_.cases.begin();
      return std::tuple(function, row.n > 0, block, row.contender, row.n);
    };
    std::ranges::stable_sort(rows_, {}, place);
    return std::move(rows_);
  }

  const Plan& plan_;
  const StageInfo& stage_;
  const StageCases& cases_;
  std::vector<int> orders_;
  TerminalReport& terminal_;
  ScratchDirectory scratch_;
  std::vector<ContenderModule> modules_;
  std::map<const ContenderModule*, BenchSimulation> simulations_;
  std::map<std::pair<Contender, std::string>, SimulatedCall> simulated_;
  std::map<CpuWork, double> cpu_ms_;
  std::vector<BenchRow> rows_;
};

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[sizeof "2026-11-21"];
  std::strftime(text, sizeof text, "%F", std::localtime(&now));
  return text;
}

std::string command_of(const BenchOptions& options) {
  std::string command = "lab bench";
  const auto add = [&](const std::string& words) { command += " " + words; };
  for (const std::string& stage : options.stages) add(stage);
  if (options.solutions) add("--solutions");
  if (!options.submission.empty()) add("--submission " + options.submission.string());
  if (options.backend != "auto") add("--backend " + options.backend);
  add("--gpu " + options.gpu);
  if (!options.orders.empty()) add(fmt::format("--n {}", fmt::join(options.orders, ",")));
  if (options.inputs != "random") add("--inputs " + options.inputs);
  if (options.inputs == "random") add(fmt::format("--seed {}", options.seed));
  return command;
}

}  // namespace

BenchReport measure(const BenchOptions& options) {
  const Plan plan = plan_of(options);
  BenchReport report;
  report.modelled = plan.backend.backend == Backend::simt;
  report.device = plan.backend.device;
  report.command = command_of(options);
  report.date = today();
  report.inputs = fmt::format("random, seed {}", options.seed);
  report.gpu = plan.gpu;
  TerminalReport terminal(std::cout, style_of_standard_output());
  for (const StageInfo& stage : plan.stages) {
    std::vector<BenchRow> rows = StageBench(plan, stage, options, terminal).run();
    std::ranges::move(rows, std::back_inserter(report.rows));
  }
  terminal.clear_progress();
  return report;
}

bool bench(const BenchOptions& options) {
  demand_writable(options.csv);
  demand_writable(options.json);
  const BenchReport report = measure(options);
  std::cout << bench_table(report) << std::flush;
  return true;
}

}  // namespace tilewise::grading
