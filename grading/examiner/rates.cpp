#include "grading/examiner/rates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/base/statistics.hpp"
#include "common/gpu/capability.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {

namespace {

const core::Capability* capability_of(const DeviceInfo& device) {
  return core::find_capability(device.compute_major, device.compute_minor);
}

std::optional<double> peak_gflops(const DeviceInfo& device, int core::Capability::*lanes_per_sm) {
  const core::Capability* capability = capability_of(device);
  if (capability == nullptr || capability->*lanes_per_sm == 0) return std::nullopt;
  if (device.sms == 0 || device.clock_mhz == 0) return std::nullopt;
  return 2.0 * device.sms * capability->*lanes_per_sm * device.clock_mhz * 1e-3;
}

}  // namespace

std::optional<double> peak_fp32_gflops(const DeviceInfo& device) {
  return peak_gflops(device, &core::Capability::fp32_lanes_per_sm);
}

std::optional<double> peak_fp64_gflops(const DeviceInfo& device) {
  return peak_gflops(device, &core::Capability::fp64_lanes_per_sm);
}

std::optional<double> peak_tensor_gflops(const DeviceInfo& device,
                                         int core::Capability::TensorRates::*rate) {
  const core::Capability* capability = capability_of(device);
  if (capability == nullptr || capability->tensor.*rate == 0) return std::nullopt;
  if (device.sms == 0 || device.clock_mhz == 0) return std::nullopt;
  return 2.0 * device.sms * (capability->tensor.*rate) * device.clock_mhz * 1e-3;
}

std::optional<double> ceiling_fp64_gflops(const DeviceInfo& device) {
  const auto by_tensor_cores = peak_tensor_gflops(device, &core::Capability::TensorRates::fp64);
  return by_tensor_cores ? by_tensor_cores : peak_fp64_gflops(device);
}

std::optional<double> peak_bandwidth_gb_s(const DeviceInfo& device) {
  if (device.dram_gb_s > 0) return device.dram_gb_s;
  for (const core::GpuProfile& gpu :
       core::load_gpu_profiles(core::project_root() / "common/gpu/gpus.json")) {
    if (gpu.name == device.name) return gpu.dram_gb_s;
  }
  return std::nullopt;
}

namespace {

// Returns what nvidia-smi prints about the GPU in use, and no other.
std::string query(const std::string& what) {
  Command command;
  command.arguments = {"nvidia-smi", what, "--format=csv,noheader"};
  // This is the GPU that the command line has chosen, or the first one, as CUDA takes it.
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  command.arguments.push_back(std::string("--id=") + (visible != nullptr ? visible : "0"));
  command.time_limit_s = 10;
  const CommandResult result = run_command(command);
  return result.succeeded() ? result.output : "";
}

std::size_t lines_with_a_number(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::size_t count = 0;
  for (std::string line; std::getline(stream, line);) {
    count += !line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0;
  }
  return count;
}

}  // namespace

std::vector<std::string> disturbances_in(std::string_view throttle_reasons,
                                         std::string_view applications, std::size_t own_processes) {
  // Names and bits are those of nvmlClocksThrottleReasons in nvml.h. Idling is no disturbance, nor
  // is the power limit, which a kernel that keeps the whole GPU busy reaches.
  constexpr struct {
    std::uint64_t bit;
    const char* words;
  } reasons[] = {{0x08, marked("the hardware has slowed its clock down")},
                 {0x20, marked("it is too hot to run at full speed")},
                 {0x40, marked("it is too hot to run at full speed")},
                 {0x80, marked("its power supply has slowed its clock down")}};
  std::vector<std::string> found;
  const std::uint64_t active = std::strtoull(std::string(throttle_reasons).c_str(), nullptr, 16);
  for (const auto& reason : reasons) {
    if ((active & reason.bit) == 0) continue;
    const std::string words = core::in_language(reason.words);
    if (std::ranges::find(found, words) == found.end()) found.push_back(words);
  }
  const std::size_t processes = lines_with_a_number(applications);
  if (processes > own_processes) {
    const std::size_t others = processes - own_processes;
    found.push_back(others == 1 ? tr("1 other process uses the GPU")
                                : tr("{} other processes use the GPU", others));
  }
  return found;
}

std::vector<std::string> gpu_disturbances(std::size_t own_processes) {
  if (!find_on_path("nvidia-smi")) return {};
  return disturbances_in(query("--query-gpu=clocks_throttle_reasons.active"),
                         query("--query-compute-apps=pid"), own_processes);
}

namespace {

std::string minimum_in_words(const TimedRate& rate, const RateGoal& goal) {
  if (rate.reference) {
    return tr("minimum {:.0f}: {:.0f}% of the reference solution's {:.0f} on this device",
              *rate.minimum, 100 * goal.minimum.of_reference, *rate.reference);
  }
  return tr("minimum {:.0f}: {:.1f}% of this device's {}", *rate.minimum,
            100 * goal.minimum.of_peak, core::in_language(goal.of));
}

std::string rate_in_words(double rate, const RateGoal& goal) {
  const std::string text = fmt::format("{:.0f} {}", rate, goal.unit);
  return goal.at.empty() ? text : tr("{} at {}", text, goal.at);
}

/// `found` is the rate in words, `calls` for example "the timed calls".
Verdict impossible(const std::string& found, const RateGoal& goal, const std::string& calls) {
  return {{.message = tr("{} are more than this device can do ({:.0f}): {} did not do all "
                         "the work.",
                         found, *goal.ceiling, calls),
           .hint = goal.advice_if_beyond}};
}

std::string modelled_in_words(const ModelledRate& modelled, const RateGoal& goal,
                              const std::string& gpu) {
  return tr("{} (modelled for {})", rate_in_words(modelled.rate, goal), gpu);
}

// Whether the submission is too slow even by the reading that is best for it.
bool certainly_too_slow(const InterleavedTiming& timing, const TimedRate& rate, double work,
                        const RateGoal& goal, bool disturbed) {
  if (rate.reference) {
    const double best =
        disturbed ? timing.highest_speed_of_reference() : timing.speed_of_reference().high;
    return best < goal.minimum.of_reference;
  }
  const double shortest_ms = disturbed ? timing.fastest_ms() : timing.own_ms().low;
  return rate_of({shortest_ms}, work) < *rate.minimum;
}

}  // namespace

double rate_of(const std::vector<double>& times_ms, double work) {
  return work / (core::median(times_ms) * 1e6);
}

TimedRate timed_rate(const InterleavedTiming& timing, double work, const RateGoal& goal) {
  TimedRate rate{.own = rate_of({timing.own_ms().median}, work), .reference = {}, .minimum = {}};
  if (timing.has_reference()) {
    rate.reference = rate.own / timing.speed_of_reference().median;
    rate.minimum = goal.minimum.of_reference * *rate.reference;
  } else if (goal.peak) {
    rate.minimum = goal.minimum.of_peak * *goal.peak;
  }
  return rate;
}

std::string in_words(const ModelledRate& modelled, const RateGoal& goal, const std::string& gpu) {
  return tr("{}, limited by {}", modelled_in_words(modelled, goal, gpu),
            core::in_language(modelled.limiter));
}

Verdict judge_modelled(const ModelledRate& own, const ModelledRate& reference, const RateGoal& goal,
                       const std::string& gpu) {
  const std::string found = modelled_in_words(own, goal, gpu);
  if (goal.ceiling && own.rate > *goal.ceiling) return impossible(found, goal, tr("the kernels"));
  const double fraction = goal.minimum.modelled_fraction();
  const double minimum = fraction * reference.rate;
  const std::string message =
      tr("{}, minimum {:.0f}: {:.0f}% of the reference solution's {:.0f} there; limited "
         "by {}.",
         found, minimum, 100 * fraction, reference.rate, core::in_language(own.limiter));
  if (own.rate >= minimum) return {{.message = message}, Status::passed};
  const std::string by_limiter = goal.words_on_others ? "" : limiter_advice(own.limiter);
  return {{.message = message,
           .hint = by_limiter.empty() ? goal.advice : by_limiter + " " + goal.advice}};
}

std::optional<Verdict> shortfall(const InterleavedTiming& timing, double work, const RateGoal& goal,
                                 const std::vector<std::string>& disturbances) {
  const TimedRate rate = timed_rate(timing, work, goal);
  if (goal.ceiling && rate.own > *goal.ceiling) {
    return impossible(rate_in_words(rate.own, goal), goal, tr("the timed calls"));
  }
  if (!rate.minimum) {
    return Verdict{{.message = tr("{:.0f} {} at {}. The driver does not tell enough of this "
                                  "device for a minimum, and the reference solution could "
                                  "not be timed beside.",
                                  rate.own, goal.unit, goal.at)},
                   Status::inconclusive};
  }
  if (rate.own >= *rate.minimum) return std::nullopt;
  const std::string found =
      fmt::format("{}, {}", rate_in_words(rate.own, goal), minimum_in_words(rate, goal));
  if (certainly_too_slow(timing, rate, work, goal, !disturbances.empty())) {
    return Verdict{{.message = found + ".", .hint = goal.advice}};
  }
  if (!disturbances.empty()) {
    return Verdict{
        {.message = fmt::format("{}; but {}.", found, fmt::join(disturbances, ", and ")),
         .hint = tr("Grade again while nothing else uses the GPU and it runs at full speed.")},
        Status::inconclusive};
  }
  return Verdict{
      {.message = tr("{}; but {} rounds differ too much to be sure.", found, timing.rounds()),
       .hint = tr("Grade again while nothing else uses the GPU.")},
      Status::inconclusive};
}

std::optional<Verdict> doubt_about_reference(const InterleavedTiming& timing, const RateGoal& goal,
                                             const std::vector<double>& alone_ms) {
  constexpr double most = 1.1;  // clocks that follow the load change it by no more than this
  const double beside = timing.reference_ms().median;
  const double alone = core::median(alone_ms);
  if (beside <= most * alone) return std::nullopt;
  const double own = timing.own_ms().median;
  if (alone / own >= goal.minimum.of_reference) return std::nullopt;
  return Verdict{
      {.message = tr("The reference solution took {:.3g} ms in turns with the submission, "
                     "{:.3g} ms without it: something kept the GPU busy. The submission's "
                     "{:.3g} ms at {} are enough beside the first, not beside the second.",
                     beside, alone, own, goal.at),
       .hint =
           tr("Leave no work behind when the function returns, and grade again while nothing else "
              "uses the GPU.")},
      Status::inconclusive};
}

}  // namespace tilewise::grading
