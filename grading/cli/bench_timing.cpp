#include "grading/cli/bench_timing.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include "grading/bench/contenders.hpp"
#include "grading/cli/simulated_calls.hpp"

namespace tilewise::grading {
namespace {

/// The same call on what its matrices hold on the device already.
std::vector<Argument> on_device(std::vector<Argument> arguments) {
  for (Argument& argument : arguments) {
    if (auto* matrix = std::get_if<BufferArgument>(&argument)) matrix->device_only = true;
  }
  return arguments;
}

/// One contender's way through the rounds.
class Contestant {
 public:
  Contestant(const TimingRequest& request, Worker& worker, const Workload& workload,
             const Problem& problem)
      : request_(request), worker_(worker), workload_(workload), problem_(problem) {}

  Turn take_turn(int round) {
    constexpr Timing timing{.warmups = 1, .repetitions = 3};
    // Inputs are still on the device after the first round, but for what a result has taken the
    // place of.
    const bool with_data = round == 0 || problem_.overwrites_inputs();
    if (with_data) arguments_ = workload_.place(request_.call, worker_.memory());
    const CallReply reply = worker_.call(request_.call.function,
                                         with_data ? arguments_ : on_device(arguments_), timing);
    // A library's launches are not seen.
    const bool is_library = request_.module->contender == Contender::cublas ||
                            request_.module->contender == Contender::copy;
    if (!is_library || reply.outcome != CallReply::Outcome::returned || reply.cuda_status != 0) {
      if (const auto why = why_nothing_counted(reply, request_.call.text)) {
        return {{}, why->message};
      }
    }
    if (round == 0 && request_.module->contender != Contender::copy) {
      right = workload_.is_right(arguments_, worker_.memory(), false);
    }
    return {reply.times_ms};
  }

  std::optional<bool> right;

 private:
  const TimingRequest& request_;
  Worker& worker_;
  const Workload& workload_;
  const Problem& problem_;
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
  options.time_limit_s = 120;  // matrices of gigabytes take seconds to copy
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
                                        const Workload& workload, const Problem& problem) {
  constexpr std::chrono::seconds budget{8};
  std::size_t together = 0;
  for (const TimingRequest& request : requests) together += bytes_in_memory(request.call);
  // Each worker keeps its matrices on the device until its next call.
  const bool in_turns = !device_memory_ || together <= *device_memory_;
  std::vector<TimedCall> timed;
  const auto run_group = [&](std::size_t first, std::size_t count) {
    std::vector<Contestant> contestants;
    for (std::size_t i = first; i < first + count; ++i) {
      contestants.emplace_back(requests[i], worker_of(*requests[i].module), workload, problem);
    }
    const std::vector<TurnsTaken> taken = take_turns(
        count, budget,
        [&](std::size_t contender, int round) { return contestants[contender].take_turn(round); });
    for (std::size_t i = 0; i < count; ++i) {
      timed.push_back({taken[i].problem, taken[i].ms, contestants[i].right});
      // A worker that has failed is gone; the next call gets a new one.
      if (!taken[i].problem.empty() || !in_turns) workers_.erase(requests[first + i].module);
    }
  };
  if (in_turns) {
    run_group(0, requests.size());
  } else {
    workers_.clear();  // makes room
    for (std::size_t i = 0; i < requests.size(); ++i) run_group(i, 1);
  }
  return timed;
}

}  // namespace tilewise::grading
