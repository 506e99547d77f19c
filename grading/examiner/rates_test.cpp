#include "grading/examiner/rates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/gpu/gpu_profile.hpp"

namespace tilewise::grading {
namespace {

DeviceInfo device_like(const core::GpuProfile& profile) {
  DeviceInfo device;
  device.compute_major = profile.compute_major;
  device.compute_minor = profile.compute_minor;
  device.sms = profile.sms;
  device.clock_mhz = profile.clock_mhz;
  return device;
}

TEST(Peak, AgreesWithTheProfilesOfKnownCards) {
  for (const char* id : {"gtx1080", "p100", "t4", "a100", "h200"}) {
    const core::GpuProfile profile = core::gpu_profile(id);
    const auto peak = peak_fp32_gflops(device_like(profile));
    ASSERT_TRUE(peak) << id;
    EXPECT_DOUBLE_EQ(*peak, profile.peak_fp32_gflops()) << id;
  }
}

TEST(Peak, AgreesWithTheProfilesInDoublePrecision) {
  for (const char* id : {"gtx1080", "p100", "t4", "a100", "h200"}) {
    const core::GpuProfile profile = core::gpu_profile(id);
    const auto peak = peak_fp64_gflops(device_like(profile));
    ASSERT_TRUE(peak) << id;
    EXPECT_DOUBLE_EQ(*peak, 2e-3 * profile.sms * profile.fp64_lanes_per_sm * profile.clock_mhz)
        << id;
  }
}

TEST(Peak, DoublesWhereTensorCoresTakeDoubles) {
  const struct {
    const char* id;
    double factor;
  } cases[] = {{"gtx1080", 1}, {"p100", 1}, {"t4", 1}, {"a100", 2}, {"h200", 2}};
  for (const auto& [id, factor] : cases) {
    const DeviceInfo device = device_like(core::gpu_profile(id));
    EXPECT_DOUBLE_EQ(*ceiling_fp64_gflops(device), factor * *peak_fp64_gflops(device)) << id;
  }
}

TEST(Peak, BandwidthIsTheDriversOrElseTheProfiles) {
  DeviceInfo device = device_like(core::gpu_profile("h200"));
  device.name = "NVIDIA H200";
  device.dram_gb_s = 4900;
  EXPECT_EQ(peak_bandwidth_gb_s(device), 4900);
  device.dram_gb_s = 0;
  EXPECT_EQ(peak_bandwidth_gb_s(device), 4800);
  device.name = "NVIDIA Unheard-of";
  EXPECT_FALSE(peak_bandwidth_gb_s(device));
}

TEST(Peak, IsUnknownWhereTheDriverTellsTooLittle) {
  DeviceInfo device = device_like(core::gpu_profile("h200"));
  device.clock_mhz = 0;
  EXPECT_FALSE(peak_fp32_gflops(device));
  device = device_like(core::gpu_profile("h200"));
  device.compute_major = 99;
  EXPECT_FALSE(peak_fp32_gflops(device));
  EXPECT_FALSE(peak_fp64_gflops(device));
  EXPECT_FALSE(ceiling_fp64_gflops(device));
}

using ::testing::ElementsAreArray;

TEST(GpuDisturbances, AreReadFromWhatNvidiaSmiPrints) {
  const struct {
    const char* throttle_reasons;
    const char* applications;
    std::size_t own;
    std::vector<std::string> found;
  } cases[] = {
      {"", "", 2, {}},
      {"0x0000000000000001\n", "", 2, {}},            // idle
      {"0x0000000000000004\n", "100\n200\n", 2, {}},  // power limit, own processes
      {"[N/A]\n", "No running processes found\n", 0, {}},
      {"0x0000000000000000\n", "100\n200\n300\n", 2, {"1 other process uses the GPU"}},
      {"0x0\n", "1\n2\n3\n4\n", 2, {"2 other processes use the GPU"}},
      {"0x0000000000000068\n",
       "",
       2,
       {"the hardware has slowed its clock down", "it is too hot to run at full speed"}},
      {"0x0000000000000080\n",
       "1\n2\n",
       1,
       {"its power supply has slowed its clock down", "1 other process uses the GPU"}},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(disturbances_in(c.throttle_reasons, c.applications, c.own),
                ElementsAreArray(c.found))
        << c.throttle_reasons << c.applications;
  }
}

using testing::HasSubstr;
using Times = std::vector<double>;

constexpr double work = 1e9;  // 1000 GFLOPS take a millisecond

InterleavedTiming timing_of(const Times& own_ms, const Times& reference_ms) {
  InterleavedTiming timing;
  for (std::size_t i = 0; i < own_ms.size(); ++i) {
    timing.add_round({own_ms[i]}, reference_ms.empty() ? Times{} : Times{reference_ms[i]});
  }
  return timing;
}

const RateGoal goal{.unit = "GB/s",
                    .at = "8 x 9",
                    .minimum = {.of_reference = 0.5, .of_peak = 0.25},
                    .peak = 1000,
                    .of = "memory bandwidth",
                    .ceiling = 2000,
                    .advice_if_beyond = "do it all",
                    .advice = "do it better"};

TEST(RateOf, TakesTheMedian) { EXPECT_DOUBLE_EQ(rate_of({2, 1, 4}, 6e9), 3000); }

TEST(TimedRate, HasItsMinimumFromTheReferenceOrElseFromThePeak) {
  const TimedRate beside = timed_rate(timing_of({2, 2}, {1.6, 1.6}), work, goal);
  EXPECT_DOUBLE_EQ(beside.own, 500);
  EXPECT_DOUBLE_EQ(beside.reference.value(), 625);
  EXPECT_DOUBLE_EQ(beside.minimum.value(), 312.5);

  const TimedRate alone = timed_rate(timing_of({2, 2}, {}), work, goal);
  EXPECT_FALSE(alone.reference);
  EXPECT_DOUBLE_EQ(alone.minimum.value(), 250);

  RateGoal unknown = goal;
  unknown.peak.reset();
  EXPECT_FALSE(timed_rate(timing_of({2, 2}, {}), work, unknown).minimum);
}

TEST(Shortfall, TellsTooSlowFromImpossibleAndUncertain) {
  const Times even(6, 1.0), slow(6, 5.0);
  RateGoal of_unknown_device = goal;
  of_unknown_device.peak.reset();
  of_unknown_device.ceiling.reset();
  const struct {
    const char* what;
    Times own, reference;
    RateGoal goal;
    std::vector<std::string> disturbances;
    Status status;
    const char* message;
    const char* hint;
  } cases[] = {
      {"enough", Times(6, 1.9), even, goal, {}, Status::passed, "", ""},
      {"enough on a disturbed device", even, even, goal, {"x"}, Status::passed, "", ""},
      {"enough of the peak", Times(6, 3.9), {}, goal, {}, Status::passed, "", ""},
      {"beyond the ceiling",
       Times(6, 0.4),
       even,
       goal,
       {},
       Status::failed,
       "2500 GB/s at 8 x 9 are more than this device can do (2000)",
       "do it all"},
      {"too slow",
       slow,
       even,
       goal,
       {},
       Status::failed,
       "200 GB/s at 8 x 9, minimum 500: 50% of the reference solution's 1000 on this device.",
       "do it better"},
      {"too slow for the peak",
       slow,
       {},
       goal,
       {},
       Status::failed,
       "200 GB/s at 8 x 9, minimum 250: 25.0% of this device's memory bandwidth.",
       "do it better"},
      {"too slow in most rounds",
       {2.1, 2.2, 1.9, 2.1, 2.2, 2.1},
       even,
       goal,
       {},
       Status::inconclusive,
       "but 6 rounds differ too much",
       "nothing else uses the GPU"},
      {"too slow for the peak in most",
       {4.4, 4.5, 3.9, 4.3, 4.4, 4.5},
       {},
       goal,
       {},
       Status::inconclusive,
       "but 6 rounds differ too much",
       "nothing else uses the GPU"},
      {"too slow, and disturbed, but only if the fast turn was the one that was not",
       {5.0, 5.0, 1.9, 5.0, 5.0, 5.0},
       even,
       goal,
       {"a process is there", "it is hot"},
       Status::inconclusive,
       "on this device; but a process is there, and it is hot.",
       "full speed"},
      {"too slow, and disturbed, but only if the slow turn of the reference was not",
       slow,
       {1.0, 1.0, 2.6, 1.0, 1.0, 1.0},
       goal,
       {"a process is there"},
       Status::inconclusive,
       "but a process is there.",
       "full speed"},
      {"too slow however it was disturbed",
       slow,
       even,
       goal,
       {"a process is there"},
       Status::failed,
       "minimum 500: 50% of the reference solution's 1000 on this device.",
       "do it better"},
      {"too slow for the peak however it was disturbed",
       slow,
       {},
       goal,
       {"a process is there"},
       Status::failed,
       "minimum 250: 25.0% of this device's memory bandwidth.",
       "do it better"},
      {"too slow for the peak, and disturbed, but for one turn",
       {5.0, 5.0, 3.9, 5.0, 5.0, 5.0},
       {},
       goal,
       {"a process is there"},
       Status::inconclusive,
       "but a process is there.",
       "full speed"},
      {"without anything to compare with",
       slow,
       {},
       of_unknown_device,
       {},
       Status::inconclusive,
       "does not tell enough",
       ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto finding = shortfall(timing_of(c.own, c.reference), work, c.goal, c.disturbances);
    ASSERT_EQ(finding.has_value(), c.status != Status::passed);
    if (!finding) continue;
    EXPECT_EQ(finding->status, c.status);
    EXPECT_THAT(finding->message, HasSubstr(c.message));
    EXPECT_THAT(finding->hint, HasSubstr(c.hint));
  }
}

// The minimum is half of the reference's speed.
TEST(DoubtAboutTheReference, IsOneOnlyWhereTheVerdictDependsOnIt) {
  const struct {
    const char* what;
    double own_ms, beside_ms, alone_ms;
    bool doubt;
  } cases[] = {
      {"as fast alone", 1.9, 1.0, 1.0, false},
      {"a little faster alone", 1.9, 1.0, 0.92, false},
      {"faster alone, and not enough beside that", 1.9, 1.0, 0.85, true},
      {"faster alone, and enough beside that", 1.6, 1.0, 0.85, false},
      {"much faster alone, and enough beside that", 0.9, 1.0, 0.5, false},
      {"much faster alone, and not enough", 1.1, 1.0, 0.5, true},
      {"slower alone", 1.9, 1.0, 2.0, false},
      {"stage 7 on an H200 on 21 November", 0.0634, 0.0622, 0.0565, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto doubt = doubt_about_reference(timing_of(Times(6, c.own_ms), Times(6, c.beside_ms)),
                                             goal, Times(5, c.alone_ms));
    ASSERT_EQ(doubt.has_value(), c.doubt);
    if (!doubt) continue;
    EXPECT_EQ(doubt->status, Status::inconclusive);
    EXPECT_THAT(doubt->message, HasSubstr("something kept the GPU busy"));
  }
}

TEST(JudgeModelled, SaysThatItIsModelledAndWhatLimitsIt) {
  RateGoal stricter = goal;
  stricter.minimum.of_model = 0.8;
  RateGoal without_ceiling = goal;
  without_ceiling.ceiling.reset();
  const struct {
    const char* what;
    double own;
    const char* limiter;
    RateGoal goal;
    Status status;
    const char* message;
    const char* hint;
  } cases[] = {
      {"enough", 500, "DRAM bandwidth", goal, Status::passed,
       "500 GB/s at 8 x 9 (modelled for p100), minimum 500: 50% of the reference solution's 1000 "
       "there; limited by DRAM bandwidth.",
       ""},
      {"too slow", 499, "shared wavefronts", goal, Status::failed,
       "499 GB/s at 8 x 9 (modelled for p100), minimum 500", "keep values in registers"},
      {"too slow, and the stage's own advice", 499, "shared wavefronts", goal, Status::failed,
       "limited by shared wavefronts.", "conflicts. do it better"},
      {"a fraction of its own", 799, "", stricter, Status::failed,
       "minimum 800: 80% of the reference", "do it better"},
      {"beyond the ceiling", 2001, "", goal, Status::failed,
       "2001 GB/s at 8 x 9 (modelled for p100) are more than this device can do (2000)",
       "do it all"},
      {"without a ceiling", 2001, "", without_ceiling, Status::passed, "2001 GB/s", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const Verdict finding = judge_modelled({c.own, c.limiter}, {1000, ""}, c.goal, "p100");
    EXPECT_EQ(finding.status, c.status);
    EXPECT_THAT(finding.message, HasSubstr(c.message));
    EXPECT_THAT(finding.hint, HasSubstr(c.hint));
  }
}

}  // namespace
}  // namespace tilewise::grading
