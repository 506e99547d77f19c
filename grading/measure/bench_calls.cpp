#include "grading/measure/bench_calls.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/statistics.hpp"
#include "grading/bench/bench_figures.hpp"
#include "grading/bench/contenders.hpp"
#include "grading/builder/layout.hpp"
#include "grading/measure/simulated_calls.hpp"

namespace tilewise::grading {

SimulatedCall BenchSimulation::run(const NamedCall& call, const Workload* workload) {
  if (!worker_) {
    // A few blocks take seconds, but one block that walks over a large matrix takes minutes.
    constexpr double time_limit_s = 300;
    WorkerOptions options = counting_worker_options(module_.checked, gpu_, time_limit_s);
    options.shared_bytes = shared_bytes_;
    worker_.emplace(std::move(options));
  }
  const std::vector<Argument> arguments =
      workload == nullptr ? call.arguments : workload->place(call, worker_->memory());
  CallReply reply = worker_->call(call.function, arguments, std::nullopt,
                                  simt::Watch{.counters = true, .sample = true});
  SimulatedCall result;
  if (const auto why = why_nothing_counted(reply, call.text)) {
    result.problem = why->message;
    result.is_absent = module_.may_lack(reply.cuda_error_name);
    if (reply.ending != CallReply::Ending::returned) worker_.reset();
    return result;
  }
  // The result of several launches cannot be judged: the later ones read elements that the sampled
  // blocks of earlier ones did not compute.
  if (workload != nullptr && reply.launches == 1 && !module_.copies) {
    result.right = workload->is_right(arguments, worker_->memory(), true);
  }
  result.profile = {module_.stage,
                    call.text,
                    gpu_,
                    std::move(reply.profiles),
                    reply.launches,
                    call.operations,
                    call.double_precision,
                    module_.compiled};
  return result;
}

namespace {

/// Returns the arguments for a call on the data that its matrices already hold on the device.
std::vector<Argument> on_device(std::vector<Argument> arguments) {
  for (Argument& argument : arguments) {
    if (auto* matrix = std::get_if<BufferArgument>(&argument)) matrix->device_only = true;
  }
  return arguments;
}

/// Takes one contender's turns.
class Contestant {
 public:
  Contestant(const TimingRequest& request, Worker& worker, const Workload& workload,
             const Problem& problem, bool copies)
      : request_(request),
        worker_(worker),
        workload_(workload),
        with_data_always_(copies || problem.overwrites_inputs()) {}

  Turn take_turn(int round) {
    constexpr Timing timing{.warmups = 1, .repetitions = 3};
    // After the first round the inputs are still on the device, unless the result has overwritten
    // them.
    const bool with_data = round == 0 || with_data_always_;
    if (with_data) arguments_ = workload_.place(request_.call, worker_.memory());
    const CallReply reply = worker_.call(request_.call.function,
                                         with_data ? arguments_ : on_device(arguments_), timing);
    if (!request_.module->is_library() || reply.ending != CallReply::Ending::returned ||
        reply.cuda_status != 0) {
      if (const auto why = why_nothing_counted(reply, request_.call.text)) {
        is_absent = request_.module->may_lack(reply.cuda_error_name);
        return {{}, why->message};
      }
    }
    if (round == 0 && !request_.module->copies) {
      right = workload_.is_right(arguments_, worker_.memory(), false);
    }
    if (with_data) copies_ms.push_back(reply.copies_ms);
    return {reply.times_ms};
  }

  /// Returns the mean time of ten calls after a warm-up, timed as one, or nothing if they fail.
  /// Their results are not checked.
  std::optional<double> mean_of_ten() {
    constexpr Timing timing{.warmups = 1, .repetitions = 1, .calls = 10};
    arguments_ = workload_.place(request_.call, worker_.memory());
    const CallReply reply = worker_.call(request_.call.function, arguments_, timing);
    if (reply.ending != CallReply::Ending::returned || reply.cuda_status != 0) return std::nullopt;
    return reply.times_ms.front() / timing.calls;
  }

  std::optional<bool> right;
  std::vector<double> copies_ms;
  bool is_absent = false;

 private:
  const TimingRequest& request_;
  Worker& worker_;
  const Workload& workload_;
  bool with_data_always_;
  std::vector<Argument> arguments_;
};

}  // namespace

WorkerOptions timing_worker_options(const std::filesystem::path& worker,
                                    const std::filesystem::path& module,
                                    const core::GpuProfile& gpu) {
  WorkerOptions options;
  options.executable = worker;
  options.module = module;
  options.profile = gpu;
  options.time_limit_s = 120;  // copying gigabytes takes seconds
  return options;
}

Worker& BenchTiming::worker_of(const ContenderModule& module) {
  const auto known = workers_.find(&module);
  if (known != workers_.end()) return known->second;
  WorkerOptions options = timing_worker_options(worker_, module.fast, gpu_);
  options.shared_bytes = shared_bytes_;
  return workers_.try_emplace(&module, std::move(options)).first->second;
}

std::vector<TimedCall> BenchTiming::run(const std::vector<TimingRequest>& requests,
                                        const Workload& workload, const Problem& problem,
                                        bool copies) {
  constexpr std::chrono::seconds budget{8};
  std::size_t together = 0;
  for (const TimingRequest& request : requests) together += bytes_in_memory(request.call);
  // Each worker keeps its matrices on the device until its next call.
  const bool in_turns = !device_memory_ || together <= *device_memory_;
  std::vector<TimedCall> timed;
  const auto run_group = [&](std::size_t first, std::size_t count) {
    std::vector<Contestant> contestants;
    for (std::size_t i = first; i < first + count; ++i) {
      contestants.emplace_back(requests[i], worker_of(*requests[i].module), workload, problem,
                               copies);
    }
    const std::vector<TurnsTaken> taken = take_turns(
        count, budget,
        [&](std::size_t contender, int round) { return contestants[contender].take_turn(round); });
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<double>& copied = contestants[i].copies_ms;
      timed.push_back({taken[i].problem, contestants[i].is_absent, taken[i].ms,
                       copied.empty() ? 0 : core::median(copied), contestants[i].right});
      if (mean_of_ten_ && taken[i].problem.empty()) {
        timed.back().mean_ms = contestants[i].mean_of_ten();
      }
      // A worker that has failed is gone; the next call starts a new one.
      if (!taken[i].problem.empty() || !in_turns) workers_.erase(requests[first + i].module);
    }
  };
  if (in_turns) {
    run_group(0, requests.size());
  } else {
    workers_.clear();  // frees their device memory
    for (std::size_t i = 0; i < requests.size(); ++i) run_group(i, 1);
  }
  return timed;
}

std::map<std::string, double> count_instructions(const std::filesystem::path& nsight_compute,
                                                 WorkerOptions options,
                                                 const std::vector<NamedCall>& calls,
                                                 const std::filesystem::path& scratch) {
  const std::filesystem::path log = scratch / "instructions.csv";
  std::filesystem::remove(log);
  options.supervisor = {nsight_compute, "--metrics", instructions_metric,  "--csv",
                        "--log-file",   log,         "--target-processes", "all"};
  Worker worker(std::move(options));
  std::vector<std::pair<std::string, int>> launches;  // text and number of launches of each call
  for (const NamedCall& call : calls) {
    const CallReply reply = worker.call(call.function, call.arguments);
    if (reply.ending != CallReply::Ending::returned) break;
    launches.emplace_back(call.text, reply.launches);
  }
  worker.finish();

  std::ifstream file(log);
  const std::vector<double> kernels =
      instructions_in(std::string(std::istreambuf_iterator<char>(file), {}));
  std::map<std::string, double> counts;
  auto kernel = kernels.begin();
  for (const auto& [call, of_call] : launches) {
    if (kernels.end() - kernel < of_call) break;
    counts[call] = std::accumulate(kernel, kernel + of_call, 0.0);
    kernel += of_call;
  }
  // If there are more kernels than launches, it is unknown which kernels belong to which call.
  if (kernel != kernels.end()) counts.clear();
  return counts;
}

}  // namespace tilewise::grading
