#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

#include "common/base/language.hpp"
#include "common/base/statistics.hpp"
#include "grading/examiner/calling.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/rates.hpp"
#include "grading/examiner/stage_fixture.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {
namespace {

// Returns "A and B are", for hints.
std::string inputs_of(const Trial& trial) {
  std::vector<std::string> names;
  for (const DeviceArray* array : trial.arrays) {
    if (array->access() == Access::input) names.push_back(array->name());
  }
  const std::string all = fmt::format("{}", fmt::join(names, tr(" and ")));
  return names.size() == 1 ? tr("{} is", all) : tr("{} are", all);
}

constexpr const char* right_in_step = marked(
    " comes out right only where all threads run in step, and was judged so: the test of races "
    "tells what they must wait for.");

}  // namespace

void TrialTest::check_own_kernels(const Trial& trial) {
  if (trial.reply.launches == 0 && trial.needs_kernel) {
    fail({.kind = "no-launch",
          .message = trial.text + tr(" gave the right result without launching a kernel."),
          .hint = tr("The {} is to be computed on the device, by a __global__ function that "
                     "is launched with <<<grid, block>>>.",
                     result_name())});
  }
  if (!trial.reply.loaded_libraries.empty()) {
    fail({.message = tr("{} came by {}, which the submission has loaded.", trial.text,
                        fmt::join(trial.reply.loaded_libraries, ", ")),
          .hint = tr("The {} is to be computed by kernels of your own.", result_name())});
  }
  // This is more than a flag or a sum, and less than a matrix that takes work.
  constexpr std::size_t little = 1024;
  if (trial.reply.bytes_for_the_host > little) {
    fail({.message = tr("{} let the host read {} bytes of the device.", trial.text,
                        trial.reply.bytes_for_the_host),
          .hint = tr("The {} is to be computed on the device, from matrices that stay there.",
                     result_name())});
  }
}

void TrialTest::check_guards(const Trial& trial) {
  for (const DeviceArray* array : trial.arrays) {
    if (const auto damage = array->guard_damage()) {
      fail(written_outside(trial.text, *array, *damage, array->leading_dimension(), edge_advice()));
    }
  }
}

void TrialTest::check_untouched(const Trial& trial, const std::string& when) {
  for (const DeviceArray* array : trial.arrays) {
    if (array->untouched()) continue;
    fail({.message = tr("{} wrote to {}, {}.", trial.text, array->name(), when),
          .hint =
              tr("Check the arguments first, and return before anything is launched or written.")});
  }
}

void TrialTest::try_right(Trial& trial) {
  run_or_explain(trial);
  trial.check_result();
  check_own_kernels(trial);
  note_right(trial.text);
}

void TrialTest::try_right_with_many_blocks(const PrepareTrial& prepare) {
  const PreparedTrial trial = prepare();
  if (options().on_gpu() || !trial->fault_in_written) return try_right(*trial);
  trial->reply = run_sampled(trial->call);
  check_own_kernels(*trial);
  const bool seems_right = has_last_element(*trial->arrays.front()) && !trial->fault_in_written();
  // The blocks that did not run might have mended a fault: C may have been cleared beforehand, or
  // several kernels may compute it together. Only a run of all blocks can tell.
  if (!seems_right) return try_right(*prepare());
  note_right(trial->text);
}

bool TrialTest::comes_right_in_step(Trial& trial, bool sampled) {
  const bool can_tell =
      trial.again && (sampled ? bool(trial.fault_in_written) : bool(trial.is_right));
  if (options().on_gpu() || !can_tell || trial.reply.launches == 0) return false;
  // The call is made twice, because a function that is right only in its first call is not right.
  for (int turn = 0; turn < 2; ++turn) {
    const PreparedTrial again = trial.again();
    const auto reply = run_in_step(again->call, sampled);
    const bool is_right =
        reply && (sampled ? !again->fault_in_written().has_value() : again->is_right());
    if (!is_right) return false;
    trial.reply = *reply;
  }
  record_verdict({{.message = trial.text + core::in_language(right_in_step)}, Status::passed});
  return true;
}

void TrialTest::demand_result(Trial& trial) {
  const bool is_others_matter = trial.hangs_over && trial.reply.launches > 0;
  const bool is_right = !is_others_matter && trial.is_right && trial.is_right();
  if (is_right) note_right(trial.text);
  if (!is_right && !is_others_matter && !comes_right_in_step(trial, false)) trial.check_result();
  check_own_kernels(trial);
}

void TrialTest::try_inside(Trial& trial) {
  run_or_explain(trial);
  // This comes before the result is checked: a stray store says more than what it spoilt.
  check_guards(trial);
  for (const DeviceArray* array : trial.arrays) {
    if (array->access() != Access::input) continue;
    if (const auto change = array->first_changed()) {
      fail(changed_input(trial.text, *array, *change, inputs_of(trial)));
    }
  }
  demand_result(trial);
}

CountedCall TrialTest::try_counted(Trial& trial) {
  trial.reply = run_counted(trial.call);
  demand_result(trial);
  const std::vector<KernelProfile> profiles = with_atomics_as_accesses(trial.reply.profiles);
  return {trial.text, add_up(profiles), profiles};
}

void TrialTest::try_refused(Trial& trial, const std::string& reason) {
  trial.reply = run(trial.call);
  if (trial.reply.cuda_status != cudaErrorInvalidValue) {
    fail(wrong_status(trial.text, trial.reply.cuda_error_name, "cudaErrorInvalidValue", reason));
  }
  if (trial.reply.launches > 0) {
    fail({.message =
              trial.text + tr(" launched a kernel, although it returned cudaErrorInvalidValue."),
          .hint =
              tr("Check the arguments first, and return before anything is launched or written.")});
  }
  check_untouched(trial, tr("although it returned cudaErrorInvalidValue"));
}

void TrialTest::try_launch_failure_reported(Trial& trial, const std::string& reason) {
  trial.reply = run(trial.call);
  if (trial.reply.launches > 0 || !trial.reply.findings.empty()) {
    if (const auto failure = failure_of(trial.text, trial.reply)) fail(*failure);
    trial.check_result();
    return;
  }
  if (trial.reply.cuda_status == cudaSuccess) {
    fail({.message =
              tr("{} returned cudaSuccess without launching a kernel: {}.", trial.text, reason),
          .hint = tr("Return what cudaGetLastError() says after the launch.")});
  }
  check_untouched(trial, tr("although it returned ") + trial.reply.cuda_error_name);
}

void TrialTest::try_nothing_done(Trial& trial, const std::string& hint) {
  trial.reply = run(trial.call);
  if (trial.reply.cuda_status != cudaSuccess) {
    fail({.message = tr("{} returned {}, expected cudaSuccess: there is nothing to do.", trial.text,
                        trial.reply.cuda_error_name),
          .hint = hint});
  }
  check_untouched(trial, tr("although there was nothing to do"));
}

void TrialTest::run_timed(Trial& trial, const CallManner& timed) {
  trial.reply = run_successfully(trial.call, timed);
  trial.check_sample();
  check_own_kernels(trial);
}

// Returns what to say about a grid that has far more threads than the result has elements.
std::optional<Finding> TrialTest::idle_threads(const Trial& trial, std::uint64_t elements) const {
  if (trial.reply.profiles.size() != 1) return std::nullopt;
  const LaunchInfo& launch = trial.reply.profiles.front().launch;
  const auto count = [](const std::array<unsigned, 3>& of) {
    return std::uint64_t{of[0]} * of[1] * of[2];
  };
  const std::uint64_t threads = count(launch.grid) * count(launch.block);
  constexpr std::uint64_t far_more = 4;
  if (threads < far_more * elements) return std::nullopt;
  return Finding{
      .message = tr("{}: of {} blocks those that were looked at, which stand for all, store "
                    "nothing. There are {} threads, and the {} has {} elements.",
                    trial.text, with_commas(count(launch.grid)), with_commas(threads),
                    result_name(), with_commas(elements)),
      .hint = tr("Most blocks have nothing to do. The grid counts blocks, and not elements: "
                 "(n + side - 1) / side of them reach along a side, with the brackets."),
      .file = launch.file,
      .line = launch.line};
}

// Checks that the call has computed its result, since a call that does nothing takes little time.
void TrialTest::check_computed(Trial& trial) {
  const DeviceArray& result = *trial.arrays.front();
  std::uint64_t stored = 0, by_atomics = 0;
  bool all_ran = true;
  for (const KernelProfile& kernel : trial.reply.profiles) {
    by_atomics += kernel.counters.global_atomic_bytes;
    stored += kernel.counters.global_store_bytes + kernel.counters.global_atomic_bytes;
    all_ran = all_ran && kernel.simulated_blocks == kernel.blocks;
  }
  const auto size = std::uint64_t(result.rows()) * result.cols() * result.element_bytes();
  // An estimate from some blocks may be a little too small.
  constexpr double most_of_it = 0.9;
  if (static_cast<double>(stored) < most_of_it * static_cast<double>(size)) {
    // If there are too many blocks, those that were run in place of all may lie beyond the result.
    const auto idle = idle_threads(trial, size / result.element_bytes());
    if (stored == 0 && !all_ran && idle) fail(*idle);
    fail({.message = tr("{}: the kernels store {} bytes; the {} has {}.", trial.text, stored,
                        result_name(), size),
          .hint = tr("Compute all of it in every call, whatever its size.")});
  }
  // If the result was set before the launch, it cannot be told what the blocks that ran have
  // written.
  const bool was_set_before = !all_ran && !has_unwritten(result);
  if (trial.fault_in_written && trial.reply.launches == 1 && by_atomics == 0 && !was_set_before) {
    const auto fault = trial.fault_in_written();
    if (fault && !comes_right_in_step(trial, true)) fail(*fault);
    return;
  }
  // Here a kernel may read or add to what another kernel has computed, or what blocks that have not
  // run would have computed. Therefore the whole call is made.
  run_successfully(trial.call);
  trial.check_sample();
}

namespace {

/// Whether the memory accesses of a line may be the reason for this limiter.
bool is_of_memory(std::string_view limiter) {
  return limiter.ends_with("wavefronts") || limiter.ends_with("bandwidth") ||
         limiter == "wavefronts of global accesses" || limiter == "instruction issue";
}

/// Adds the line on which a kernel spends, or wastes, most of its memory accesses.
void add_worst_line(const std::vector<KernelProfile>& profiles, Finding& finding) {
  std::vector<simt::LineCounters> lines;
  for (const KernelProfile& kernel : profiles) {
    lines.insert(lines.end(), kernel.lines.begin(), kernel.lines.end());
  }
  const auto worst = worst_line(lines);
  if (!worst || worst->line.line == 0) return;
  finding.message += tr(" Most is to be had on line {}: {}.", worst->line.line, worst->why);
  if (!worst->advice.empty()) finding.hint = worst->advice;
  finding.file = worst->line.file;
  finding.line = worst->line.line;
}

}  // namespace

std::optional<ModelledRate> TrialTest::modelled(const Trial& trial, const CallReply& reply,
                                                const std::vector<CompiledKernel>& compiled) const {
  const ProfileReport report{
      .stage = options().stage,
      .call = trial.text,
      .gpu = options().profile,
      .kernels = reply.profiles,
      .launches = reply.launches,
      .operations = trial.computes ? trial.work : 0,
      .double_precision = trial.arrays.front()->element() == ElementType::float64,
      .compiled = compiled};
  const auto call = modelled_call(report);
  if (!call) return std::nullopt;
  return ModelledRate{rate_of({call->ms}, trial.work), call->limiter};
}

std::optional<double> TrialTest::modelled_rate(const PrepareTrial& prepare) {
  const PreparedTrial trial = prepare();
  const auto reply = run_in_step(trial->call, true);
  if (!reply) return std::nullopt;
  const auto rate = modelled(*trial, *reply, options().compiled.submission);
  return rate ? std::optional(rate->rate) : std::nullopt;
}

ModelledRate TrialTest::run_modelled(Trial& trial) {
  trial.reply = run_sampled(trial.call);
  check_computed(trial);
  check_own_kernels(trial);
  const auto rate = modelled(trial, trial.reply, options().compiled.submission);
  if (rate) return *rate;
  const bool all_listed = std::ssize(trial.reply.profiles) == trial.reply.launches;
  fail(Verdict{
      {.message = tr(
           "{} has no modelled time: {}.", trial.text,
           all_listed ? tr("the blocks that were looked at in one of its kernels touch no global "
                           "memory")
                      : tr("of its {} launches only {} are looked at", trial.reply.launches,
                           trial.reply.profiles.size())),
       .hint = all_listed ? tr("Give every block of a grid some of the work, or launch fewer.")
                          : tr("Let fewer launches do more each.")},
      Status::inconclusive});
}

void TrialTest::try_fast_enough_modelled(const PrepareTrial& prepare, const std::string& name,
                                         const RateGoal& goal) {
  const PreparedTrial trial = prepare();
  const bool in_doubles = trial->arrays.front()->element() == ElementType::float64;
  if (in_doubles && options().profile.fp64_lanes_per_sm == 0) {
    skip(tr("It is not known how fast the {} is in double precision, so that no speed can "
            "be modelled.",
            options().profile.name),
         tr("Grade with --gpu gtx1080, or a later one."));
    return;
  }
  const ModelledRate own = run_modelled(*trial);
  // If nvcc has refused the submission, nothing is known of its registers. The reference solution
  // must not fare better for that.
  const std::vector<CompiledKernel> none;
  const bool is_compiled = !options().compiled.submission.empty();
  const auto reference = modelled(*trial, sample_reference(trial->call),
                                  is_compiled ? options().compiled.reference : none);
  if (!reference) throw std::runtime_error(tr("the reference solution has no modelled time"));
  record_measurement(name, own.rate);
  record_measurement("reference_" + name, reference->rate);
  record_measurement("minimum_" + name, goal.minimum.modelled_fraction() * reference->rate);
  Verdict verdict = judge_modelled(own, *reference, goal, options().profile.id);
  if (verdict.status != Status::passed) {
    if (goal.words_on_others) {
      verdict.message += goal.words_on_others();
    } else if (is_of_memory(own.limiter)) {
      add_worst_line(trial->reply.profiles, verdict);
    }
    fail(verdict);
  }
  record_verdict(verdict);
}

void TrialTest::try_timed(const PrepareTrial& prepare, const std::string& name) {
  if (!options().models_rates()) {
    start_worker();
    start_baselines();
  }
  const PreparedTrial trial = prepare();
  if (options().models_rates()) {
    const ModelledRate rate = run_modelled(*trial);
    record_measurement(name, rate.rate);
    RateGoal goal;
    goal.unit = trial->computes ? "GFLOPS" : "GB/s";
    record_verdict({{.message = fmt::format("{}: {}.", trial->text,
                                            in_words(rate, goal, options().profile.id))},
                    Status::passed});
    return;
  }
  // These repetitions are enough for a median that one disturbed run does not move.
  constexpr Timing timing{.warmups = 2, .repetitions = 9};
  const PreparedTrial warm_up = prepare();
  const CallManner timed{.timing = timing, .warm_up = &warm_up->call};
  run_timed(*trial, timed);
  record_measurement(name, rate_of(trial->reply.times_ms, trial->work));
  for (const auto& [baseline, times_ms] : time_baselines(trial->call, timed)) {
    record_measurement(baseline + "_" + name, rate_of(times_ms, trial->work));
  }
}

void TrialTest::try_fast_enough(const PrepareTrial& prepare, const std::string& name,
                                const RateGoal& goal) {
  if (options().models_rates()) return try_fast_enough_modelled(prepare, name, goal);
  // There is one repetition, so that each timed run has matrices of its own, which were nowhere in
  // the submission's process while it warmed up, and a result that is checked.
  constexpr Timing turn{.warmups = 1, .repetitions = 1};
  constexpr std::size_t most_rounds = 20;
  constexpr std::chrono::seconds budget{20};
  const auto start = std::chrono::steady_clock::now();

  start_baselines();
  InterleavedTiming timing;
  std::map<std::string, std::vector<double>> baselines_ms;
  PreparedTrial trial = prepare(), before;
  const double work = trial->work;
  CallManner timed{.timing = turn};
  do {
    before = std::exchange(trial, prepare());
    timed.warm_up = &before->call;
    run_timed(*trial, timed);
    const auto beside = time_baselines(trial->call, timed);
    for (const auto& [baseline, times_ms] : beside) {
      auto& all = baselines_ms[baseline];
      all.insert(all.end(), times_ms.begin(), times_ms.end());
    }
    const auto reference = beside.find("reference");
    timing.add_round(trial->reply.times_ms,
                     reference == beside.end() ? std::vector<double>{} : reference->second);
  } while (!timing.decided(goal.minimum.of_reference) && !timing.steady() &&
           timing.rounds() < most_rounds && std::chrono::steady_clock::now() - start < budget);

  const TimedRate rate = timed_rate(timing, work, goal);
  record_measurement(name, rate.own);
  for (const auto& [baseline, times_ms] : baselines_ms) {
    record_measurement(baseline + "_" + name, rate_of(times_ms, work));
  }
  record_measurement("rounds", double(timing.rounds()));
  if (rate.minimum) record_measurement("minimum_" + name, *rate.minimum);
  if (shortfall(timing, work, goal, {})) {
    fail(*shortfall(timing, work, goal, gpu_disturbances(1 + options().baselines.size())));
  }
  if (!timing.has_reference()) return;
  // A submission that slows the reference solution down looks fast beside it.
  const auto doubt = doubt_about_reference(timing, goal, time_reference_alone(*trial, timed));
  if (doubt) fail(*doubt);
}

std::vector<double> TrialTest::time_reference_alone(const Trial& trial, const CallManner& timed) {
  constexpr int turns = 3;
  end_worker();
  std::vector<double> times_ms;
  for (int turn = 0; turn < turns; ++turn) {
    const std::vector<double> of_turn = time_baseline("reference", trial.call, timed);
    times_ms.insert(times_ms.end(), of_turn.begin(), of_turn.end());
  }
  return times_ms;
}

void TrialTest::expect_traffic(const CountedCall& call, const AccessKind& kind,
                               const TrafficTheory& theory, double slack,
                               const std::string& advice) {
  if (const auto excess = excess_traffic(call, kind, theory, slack, advice)) fail(*excess);
}

int TrialTest::lanes_of_a_request() const { return capability().lanes_at_once(); }

}  // namespace tilewise::grading
