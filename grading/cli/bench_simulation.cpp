#include "grading/cli/bench_simulation.hpp"

#include <utility>

#include "grading/cli/sampled_call.hpp"

namespace tilewise::grading {

SimulatedCall BenchSimulation::run(const NamedCall& call) {
  // A few blocks take seconds; one block that walks over a large matrix, minutes.
  constexpr double time_limit_s = 300;
  if (!worker_) worker_.emplace(counting_worker_options(module_.checked, gpu_, time_limit_s));
  CallReply reply = worker_->call(call.function, call.arguments, std::nullopt,
                                  simt::Watch{.counters = true, .sample = true});
  if (reply.outcome != CallReply::Outcome::returned) worker_.reset();
  SimulatedCall result;
  if (const auto why = why_nothing_counted(reply, call.text)) {
    result.problem = why->message;
    return result;
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
