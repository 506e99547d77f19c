#include "grading/repair/runner.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "grading/bench/bench_cases.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/repair/small_call.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

std::size_t bytes_for(const std::vector<Posed>& calls) {
  std::size_t bytes = 0;
  for (const Posed& each : calls) bytes = std::max(bytes, each.bytes);
  return bytes;
}

/// Calls of all of the stage's functions, on small matrices: a change that mends one function and
/// breaks another must not be confirmed.
std::vector<Posed> calls_of_all(const StageInfo& stage, double most) {
  constexpr int n = 19;  // no side of a tile divides it
  std::vector<Posed> calls;
  const auto cases = load_bench_cases(layout().root);
  const auto of_stage = cases.find(stage.id);
  if (of_stage == cases.end()) return calls;
  std::map<std::string, std::vector<Posed>> by_function;
  for (const BenchCase& each : of_stage->second.cases) {
    if (auto found = posed_call(stage, each.call(n), most)) {
      by_function[found->call.function].push_back(std::move(*found));
    }
  }
  constexpr std::size_t most_of_each = 5;  // a template may have dozens of sizes
  for (auto& [function, all] : by_function) {
    const std::size_t number = std::min(all.size(), most_of_each);
    for (std::size_t i = 0; i < number; ++i) {
      calls.push_back(std::move(all[i * all.size() / number]));
    }
  }
  return calls;
}

/// Calls like those that went wrong, but with equal sizes, and with sizes that fill whole tiles.
std::vector<Posed> calls_beside(const RepairRequest& request, const std::vector<Posed>& wrong) {
  std::set<std::string> texts;
  for (const Posed& each : wrong) {
    for (std::string& text : calls_of_one_size(each.call, contracts_of(request.stage.id))) {
      texts.insert(std::move(text));
    }
  }
  std::vector<Posed> calls;
  for (const std::string& text : texts) {
    auto found = posed_call(request.stage, text, request.most_operations);
    if (found) calls.push_back(std::move(*found));
  }
  return calls;
}

/// The waste of all launches: bank conflicts, and sectors beyond those that would hold the
/// elements.
double waste_in(const std::vector<KernelProfile>& launches) {
  constexpr std::uint64_t sector_bytes = 32;
  double waste = 0;
  const auto add_beyond = [&](std::uint64_t sectors, std::uint64_t lane_bytes) {
    const std::uint64_t enough = lane_bytes / sector_bytes;
    if (sectors > enough) waste += double(sectors - enough);
  };
  for (const KernelProfile& launch : launches) {
    const simt::Counters& all = launch.counters;
    waste += double(all.shared_bank_conflicts);
    add_beyond(all.global_load_sectors, all.global_load_lane_bytes);
    add_beyond(all.global_store_sectors, all.global_store_lane_bytes);
  }
  return waste;
}

constexpr double loading_s = 10;

}  // namespace

WorkerOptions options_for(const std::filesystem::path& module, const RepairRequest& request,
                          std::size_t bytes) {
  return {.executable = tool("tilewise-worker-simt"),
          .sandbox = Sandbox{request.bubblewrap},
          .module = module,
          .profile = request.gpu,
          .time_limit_s = loading_s,
          .shared_bytes = bytes,
          .address_space_bytes = simulator_address_space_bytes(),
          .is_for_trials = true};
}

std::optional<Posed> posed_call(const StageInfo& stage, const std::string& text, double most) {
  try {
    auto call = small_call(text, contracts_of(stage.id), most);
    if (!call) return std::nullopt;
    const Problem& problem = problem_of(layout().root, stage.id, call->function);
    if (&problem == &problem_called("")) return std::nullopt;
    const std::size_t bytes = bytes_in_memory(*call);
    auto workload = problem.pose(*call, InputChoice{}, {});
    return Posed{std::move(*call), std::move(workload), bytes};
  } catch (const std::exception&) {
    return std::nullopt;  // the contract refuses the sizes
  }
}

std::filesystem::path folder_with(const RepairRequest& request, const std::string& name,
                                  const std::string& file, const std::string& text) {
  const std::filesystem::path folder = request.scratch / name / "labs" / request.stage.id;
  std::filesystem::create_directories(folder);
  for (const std::string& source : request.stage.sources) {
    std::filesystem::copy_file(request.source_directory / source, folder / source,
                               std::filesystem::copy_options::overwrite_existing);
  }
  std::ofstream(folder / file, std::ios::binary) << text << std::flush;
  return folder;
}

std::vector<Posed> calls_to_try(const RepairRequest& request) {
  constexpr std::size_t most_calls = 6;
  std::vector<Posed> calls;
  std::set<std::string> seen;
  for (const std::string& text : request.calls) {
    if (calls.size() == most_calls || !seen.insert(text).second) continue;
    auto found = posed_call(request.stage, text, request.most_operations);
    if (!found) continue;
    const bool is_known = text != found->call.text && !seen.insert(found->call.text).second;
    if (!is_known) calls.push_back(std::move(*found));
  }
  std::ranges::sort(calls, {},
                    [](const Posed& each) { return each.call.operations + double(each.bytes); });
  return calls;
}

Runner::Runner(std::filesystem::path module, const RepairRequest& request,
               std::vector<CallLimits> limits)
    : module_(std::move(module)),
      request_(request),
      calls_(calls_to_try(request)),
      calls_of_all_(calls_of_all(request.stage, request.most_operations)),
      calls_beside_(calls_beside(request, calls_)),
      limits_(std::move(limits)) {
  if (limits_.size() == 1) limits_.resize(calls_.size() + calls_of_all_.size(), limits_[0]);
  order_.resize(limits_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, {}, [&](std::size_t call) {
    return std::pair(!limits_[call].goes_wrong, size(call));
  });
}

const Posed& Runner::posed(std::size_t call) const {
  return call < calls_.size() ? calls_[call] : calls_of_all_[call - calls_.size()];
}

double Runner::size(std::size_t call) const {
  return posed(call).call.operations + double(posed(call).bytes);
}

bool Runner::all_right(std::int32_t variant) {
  return std::ranges::all_of(order_, [&](std::size_t call) { return comes_right(call, variant); });
}

std::vector<CallLimits> Runner::find_limits(double shortest_s, double times_as_long) {
  std::set<std::string, std::less<>> functions;
  for (const Posed& each : calls_) functions.insert(each.call.function);
  // A call that goes wrong may end at once, so those that return tell how long the others take.
  std::vector<double> taken_s(limits_.size());
  double per_size_s = 0;
  for (std::size_t call = 0; call < limits_.size(); ++call) {
    if (call >= calls_.size() && !functions.contains(posed(call).call.function)) continue;
    if (!worker_) start();
    const auto begin = std::chrono::steady_clock::now();
    const bool returns = look_at(call);
    taken_s[call] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!returns) continue;
    const double by_size_s = taken_s[call] / size(call);
    per_size_s = per_size_s == 0 ? by_size_s : std::min(per_size_s, by_size_s);
  }
  for (std::size_t call = 0; call < limits_.size(); ++call) {
    const double expected_s = std::max(taken_s[call], per_size_s * size(call));
    limits_[call].seconds =
        std::clamp(times_as_long * expected_s, shortest_s, times_as_long * limits_[call].seconds);
  }
  return limits_;
}

bool Runner::look_at(std::size_t call) {
  CallLimits& of_call = limits_[call];
  of_call.early_reads.emplace();
  of_call.goes_wrong = true;
  std::vector<Argument> arguments;
  const CallReply reply = make(posed(call), of_call.seconds, 0, watch_of(call), arguments);
  if (reply.ending != CallReply::Ending::returned) return false;
  const bool is_early = std::ranges::all_of(
      reply.findings, [](const core::Finding& finding) { return finding.kind == "uninitialised"; });
  if (reply.cuda_status != 0 || !is_early) {
    of_call.goes_wrong = !is_early || call < calls_.size();
    return true;
  }
  const bool has_right_values_too = has_right_values(call, arguments);
  const bool may_be_at_fault = call < calls_.size() && has_right_values_too;
  for (const core::Finding& finding : reply.findings) {
    if (!may_be_at_fault) of_call.early_reads->insert(finding.line);
  }
  of_call.waste = waste_in(reply.profiles);
  of_call.goes_wrong =
      !has_right_values_too || (may_be_at_fault && !reply.findings.empty()) || of_call.waste > 0;
  return true;
}

std::vector<Entered> Runner::what_is_entered() {
  std::vector<Entered> found;
  for (const std::size_t call : order_) {
    if (!worker_) start();
    const auto number = -static_cast<std::int32_t>(call) - 1;
    const bool is_right = comes_right(call, number);
    if (!worker_) continue;  // its output is gone
    found.push_back({is_right, blocks_in(worker_->output(), number)});
  }
  return found;
}

WhatRuns Runner::what_runs(std::int32_t variant) {
  WhatRuns found;
  for (const std::vector<Posed>* calls : {&calls_, &calls_of_all_, &calls_beside_}) {
    // To mend waste of memory, a change must keep these calls on the path that wastes it, even if
    // other calls still take that path. So the others are left out.
    if (request_.is_of_memory && calls != &calls_) continue;
    for (const Posed& each : *calls) {
      std::vector<Argument> arguments;
      const CallReply reply = make(each, limits_.front().seconds, variant,
                                   {.checks = true, .counters = true, .seed = 1}, arguments);
      for (const KernelProfile& kernel : reply.profiles) {
        for (const simt::LineCounters& line : kernel.lines) {
          found.lines.emplace(line.file, line.line);
        }
        const auto& [x, y, z] = kernel.launch.block;
        if (calls == &calls_) {
          double& most = found.threads[kernel.launch.kernel];
          most = std::max(most, double(kernel.blocks) * x * y * z);
        }
      }
    }
  }
  return found;
}

CallReply Runner::make(const Posed& posed, double limit_s, std::int32_t variant,
                       const simt::Watch& watch, std::vector<Argument>& arguments) {
  if (!worker_) start();
  arguments = posed.workload->place(posed.call, worker_->memory());
  worker_->choose_variant(variant);
  CallReply reply =
      worker_->call(posed.call.function, arguments, std::nullopt, watch, {}, limit_s / loading_s);
  if (reply.ending != CallReply::Ending::returned && worker_->has_ended()) worker_.reset();
  return reply;
}

bool Runner::comes_right(std::size_t call, std::int32_t variant) {
  const CallLimits& of_call = limits_[call];
  if (!of_call.early_reads) look_at(call);
  std::vector<Argument> arguments;
  const CallReply reply = make(posed(call), of_call.seconds, variant, watch_of(call), arguments);
  if (reply.ending != CallReply::Ending::returned) return false;
  // The contract may refuse a call of all functions, so an error from one of them proves nothing.
  if (reply.cuda_status != 0) return call >= calls_.size();
  const bool is_clean = std::ranges::all_of(reply.findings, [&](const core::Finding& finding) {
    return finding.kind == "uninitialised" && of_call.early_reads->contains(finding.line);
  });
  constexpr double most_waste = 0.5;  // of what there was
  const bool is_thrifty =
      !watch_of(call).counters || waste_in(reply.profiles) <= most_waste * of_call.waste;
  return is_clean && is_thrifty && has_right_values(call, arguments);
}

simt::Watch Runner::watch_of(std::size_t call) const {
  return {.checks = true, .counters = request_.is_of_memory && call < calls_.size(), .seed = 1};
}

bool Runner::has_right_values(std::size_t call, const std::vector<Argument>& arguments) {
  return posed(call).workload->is_right(arguments, worker_->memory(), false).value_or(false);
}

std::string output_of(const Posed& posed, const std::filesystem::path& module,
                      const RepairRequest& request) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  WorkerOptions options = options_for(module, request, posed.bytes);
  options.output_bytes = most_bytes;
  Worker worker(std::move(options));
  worker.ready();
  const std::vector<Argument> arguments = posed.workload->place(posed.call, worker.memory());
  worker.call(posed.call.function, arguments, std::nullopt, simt::Watch{.checks = true, .seed = 1});
  return worker.output();
}

void Runner::start() {
  worker_.emplace(options_for(
      module_, request_,
      std::max({bytes_for(calls_), bytes_for(calls_of_all_), bytes_for(calls_beside_)})));
  worker_->ready();
}

}  // namespace tilewise::grading
