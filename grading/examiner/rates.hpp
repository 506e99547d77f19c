#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "common/base/statistics.hpp"
#include "common/gpu/capability.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

using core::InterleavedTiming;

/// Returns the theoretical single-precision peak of a device at its highest clock, in GFLOPS (a
/// multiply-add is 2 operations). Returns nothing if the driver does not report enough, or if the
/// compute capability is not known.
std::optional<double> peak_fp32_gflops(const DeviceInfo& device);

/// Returns the same in double precision, without tensor cores.
std::optional<double> peak_fp64_gflops(const DeviceInfo& device);

/// Returns the peak of tensor cores with numbers of one type. Returns nothing also if the device's
/// tensor cores do not take that type.
std::optional<double> peak_tensor_gflops(const DeviceInfo& device,
                                         int core::Capability::TensorRates::*rate);

/// Returns the highest rate that double-precision sums of products can reach. Tensor cores that
/// take doubles are twice as fast (A100 and H100 data sheets).
std::optional<double> ceiling_fp64_gflops(const DeviceInfo& device);

/// Returns the theoretical bandwidth of a device's memory, from the driver or else from the profile
/// of a card of the same name. Returns nothing if neither knows it.
std::optional<double> peak_bandwidth_gb_s(const DeviceInfo& device);

/// Returns why timings on the GPU in use may be too slow, for messages: "2 other processes use the
/// GPU". Returns nothing if nvidia-smi is missing or reports none of this.
/// @param own_processes  the processes that Tilewise itself has on the GPU
std::vector<std::string> gpu_disturbances(std::size_t own_processes);

/// Returns the same from what nvidia-smi prints.
/// @param throttle_reasons  output of `--query-gpu=clocks_throttle_reasons.active
///                          --format=csv,noheader`: a mask in hexadecimal
/// @param applications      output of `--query-compute-apps=pid --format=csv,noheader`
std::vector<std::string> disturbances_in(std::string_view throttle_reasons,
                                         std::string_view applications, std::size_t own_processes);

/// Returns the rate in 10^9 operations or bytes a second (GFLOPS or GB/s). `work` is the number of
/// operations or bytes of one call.
double rate_of(const std::vector<double>& times_ms, double work);

/// A rate to reach.
struct RateGoal {
  const char* unit = "GFLOPS";
  std::string at;  ///< "n = 4096"
  SpeedMinimum minimum;
  std::optional<double> peak;       ///< of the device, if it is known
  const char* of = marked("peak");  ///< which peak of the device that is
  std::optional<double> ceiling;    ///< the highest possible rate
  std::string advice_if_beyond;     ///< the hint for a rate beyond the ceiling
  std::string advice;               ///< the hint for a rate below the minimum
  /// Says what other kernels would have reached, where the choice of a kernel counts, and not what
  /// limits the chosen one. Asked where a modelled rate is too low.
  std::function<std::string()> words_on_others = {};
};

/// The rates that a timing gives, and the rate that it should give.
struct TimedRate {
  double own = 0;
  std::optional<double> reference;
  std::optional<double> minimum;  ///< nothing if neither reference nor peak is known
};

TimedRate timed_rate(const InterleavedTiming& timing, double work, const RateGoal& goal);

/// What the model says about a call.
struct ModelledRate {
  double rate = 0;
  std::string limiter;  ///< in the words of model::KernelTime
};

/// Writes a modelled rate in words: "1195 GFLOPS at n = 2048 (modelled for gtx1080), limited by
/// shared wavefronts". Only the unit and `at` of `goal` are needed; an empty `at` is left out.
std::string in_words(const ModelledRate& modelled, const RateGoal& goal, const std::string& gpu);

/// Judges a modelled rate by its minimum. For a submission that is fast enough the verdict is a
/// note with the status `passed`; otherwise it says why the rate is not enough, or cannot be right.
/// The model is certain of its figures, so that nothing is inconclusive here.
/// @param gpu  profile that both rates are modelled for
Verdict judge_modelled(const ModelledRate& own, const ModelledRate& reference, const RateGoal& goal,
                       const std::string& gpu);

/// Says why the rate is not enough, or cannot be right. The submission is too slow only if it is so
/// by every reading of the measurements; otherwise the verdict is inconclusive. One reading is that
/// more rounds might have decided otherwise. Another, on a disturbed device, takes the submission's
/// fastest turn and the reference's slowest one for the undisturbed ones.
/// @param disturbances  of the device: "another process uses the GPU"
std::optional<Verdict> shortfall(const InterleavedTiming& timing, double work, const RateGoal& goal,
                                 const std::vector<std::string>& disturbances);

/// Returns a verdict of doubt if the rate is enough beside the reference, but would not be if the
/// reference were as fast as it is by itself: the submission may have slowed it down. Returns
/// nothing if both comparisons agree.
/// @param alone_ms  times of the reference once the submission's process has ended
std::optional<Verdict> doubt_about_reference(const InterleavedTiming& timing, const RateGoal& goal,
                                             const std::vector<double>& alone_ms);

}  // namespace tilewise::grading
