#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/model/matmul_counts.hpp"
#include "grading/examiner/rates.hpp"
#include "grading/examiner/stage_fixture.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/problem/reference.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/stages/42_sum/contract.hpp"

namespace tilewise::grading {
namespace {

/// The vector and the sum of one call.
struct SumTrial : Trial {
  SumTrial(int n, Random& random)
      : x(whole_numbers(n, random)), device_x("x", x), device_sum("sum", Access::output, 1, 1) {
    call = contracts::sum(device_sum, device_x, n);
    text = call.text;
    arrays = {&device_sum, &device_x};
    computes = false;
    needs_kernel = n > 0;
    work = static_cast<double>(sizeof(float)) * n;
  }

  Matrix<float> x;
  DeviceArray device_x, device_sum;
};

class Sum : public TrialTest {
 protected:
  PreparedTrial of(int n) {
    auto trial = std::make_unique<SumTrial>(n, random());
    trial->check_result = [this, prepared = trial.get()] { check(*prepared); };
    trial->check_sample = trial->check_result;
    return trial;
  }

  std::string result_name() const override { return "sum"; }
  std::string edge_advice() const override { return "Only elements below n are there."; }
  std::string advice() const override { return "Add up each element once."; }

 private:
  void check(const SumTrial& trial) {
    const double expected = sum_of(trial.x), found = trial.device_sum.contents()(0, 0);
    if (found == expected) return;
    fail({.message = fmt::format("{}: the sum is {}, expected {}.", trial.text, found, expected),
          .hint = advice()});
  }
};

TEST_F(Sum, IsRightForAnyLength) {
  for (const int n : {4096, 1, 31, 256, 257, 100'000}) try_right(*of(n));
  try_inside(*of(1000));
}

TEST_F(Sum, IsFreeOfRacesAndStrayAccesses) {
  try_clean({[&] { return of(1000); }, [&] { return of(70'000); }});
}

TEST_F(Sum, LoadsEachElementOnce) {
  if (skipped_without_simulator()) return;
  constexpr int n = 1 << 16;
  constexpr double slack = 1.25;  // allows for one atomic addition per block
  expect_traffic(try_counted(*of(n)), global_loads,
                 {.requests = std::uint64_t(n / lanes_of_a_request()),
                  .sectors = model::fewest_sectors(n),
                  .reason = "each element is added up once"},
                 slack, advice());
}

TEST_F(Sum, ReachesMinimumBandwidth) {
  constexpr int n = 1 << 20;
  RateGoal goal;
  goal.unit = "GB/s";
  goal.at = fmt::format("n = {}", n);
  goal.minimum = minimum_speed();
  goal.peak = peak_bandwidth_gb_s(device());
  goal.advice = "Neighbouring threads should load neighbouring elements.";
  try_fast_enough([&] { return of(n); }, "gb_s", goal);
}

}  // namespace
}  // namespace tilewise::grading
