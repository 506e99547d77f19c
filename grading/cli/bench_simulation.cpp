#include "grading/cli/bench_simulation.hpp"

#include <utility>
#include <vector>

#include "grading/cli/simulated_calls.hpp"

namespace tilewise::grading {

SimulatedCall BenchSimulation::run(const NamedCall& call, const Workload* workload) {
  if (!worker_) {
    // A few blocks take seconds; one block that walks over a large matrix, minutes.
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
    if (reply.outcome != CallReply::Outcome::returned) worker_.reset();
    return result;
  }
  // Of several launches the later ones read what the sampled blocks of earlier ones left out.
  if (workload != nullptr && reply.launches == 1) {
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

}  // namespace tilewise::grading
