#pragma once

#include <cstddef>
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

/// Theoretical single-precision peak of a device at its highest clock, in GFLOPS (2 operations a
/// multiply-add); nothing if the driver does not tell enough, or
/// the compute capability is not known.
std::optional<double> peak_fp32_gflops(const DeviceInfo& device);

/// The same in double precision, without tensor cores.
std::optional<double> peak_fp64_gflops(const DeviceInfo& device);

/// Of tensor cores, with numbers of one type; nothing also where the device's do not take them.
std::optional<double> peak_tensor_gflops(const DeviceInfo& device,
                                         int core::Capability::TensorRates::*rate);

/// What double-precision sums of products can reach at most: tensor cores that take doubles are
/// twice as fast (A100 and H100 data sheets).
std::optional<double> ceiling_fp64_gflops(const DeviceInfo& device);

/// Theoretical bandwidth of a device's memory, from the driver or else from the profile of a card
/// of the same name; nothing if neither knows.
std::optional<double> peak_bandwidth_gb_s(const DeviceInfo& device);

/// Why timings on the GPU in use may be too slow, for messages: "2 other processes use the GPU".
/// Nothing where nvidia-smi is missing or tells of nothing.
/// @param own_processes  that Tilewise has on the GPU itself
std::vector<std::string> gpu_disturbances(std::size_t own_processes);

/// The same from what nvidia-smi prints.
/// @param throttle_reasons  of `--query-gpu=clocks_throttle_reasons.active
///                          --format=csv,noheader`: a mask in hexadecimal
/// @param applications      of `--query-compute-apps=pid --format=csv,noheader`
std::vector<std::string> disturbances_in(std::string_view throttle_reasons,
                                         std::string_view applications, std::size_t own_processes);

/// In 10^9 operations or bytes a second, GFLOPS or GB/s. `work`: operations or bytes of one call.
double rate_of(const std::vector<double>& times_ms, double work);

/// A rate to reach.
struct RateGoal {
  const char* unit = "GFLOPS";
  std::string at;  ///< "n = 4096"
  SpeedMinimum minimum;
  std::optional<double> peak;       ///< of the device, if it is known
  const char* of = marked("peak");  ///< what of the device that is
  std::optional<double> ceiling;    ///< more than that is not possible
  std::string advice_if_beyond;     ///< the hint for a rate beyond the ceiling
  std::string advice;               ///< the hint for a rate below the minimum
  bool is_of_choice = false;        ///< of kernels: what limits the one chosen is not to blame
};

/// Rates that a timing gives, and what it should give.
struct TimedRate {
  double own = 0;
  std::optional<double> reference;
  std::optional<double> minimum;  ///< nothing if neither reference nor peak is known
};

TimedRate timed_rate(const InterleavedTiming& timing, double work, const RateGoal& goal);

/// What the model says of a call.
struct ModelledRate {
  double rate = 0;
  std::string limiter;  ///< in the words of model::KernelTime
};

/// "1195 GFLOPS at n = 2048 (modelled for gtx1080), limited by shared wavefronts". `goal`: its unit
/// and `at` are needed; an empty `at` is left out.
std::string in_words(const ModelledRate& modelled, const RateGoal& goal, const std::string& gpu);

/// What the modelled rate is, and its minimum: of a submission that is fast enough a note with the
/// status passed, otherwise why it is not, or cannot be right. The model is certain of its figures:
/// nothing is inconclusive here.
/// @param gpu  profile that both are modelled for
Verdict judge_modelled(const ModelledRate& own, const ModelledRate& reference, const RateGoal& goal,
                       const std::string& gpu);

/// Why the rate is not enough, or cannot be right. It is too slow if it is in every reading of what
/// was measured, and inconclusive if it is not: in that by which more rounds might have decided
/// otherwise, and on a disturbed device in that by which only the submission's slower turns were
/// disturbed, and only the reference's faster ones were not.
/// @param disturbances  of the device: "another process uses the GPU"
std::optional<Verdict> shortfall(const InterleavedTiming& timing, double work, const RateGoal& goal,
                                 const std::vector<std::string>& disturbances);

/// A rate that is enough beside the reference, and would not be if the reference were as fast as it
/// is by itself: the submission may have slowed it down. Nothing where both say the same.
/// @param alone_ms  times of the reference once the submission's process has ended
std::optional<Verdict> doubt_about_reference(const InterleavedTiming& timing, const RateGoal& goal,
                                             const std::vector<double>& alone_ms);

}  // namespace tilewise::grading
