#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"
#include "grading/examiner/stage_fixture.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/stages/10_reduction/contract.hpp"
#include "grading/stages/10_reduction/fixture.hpp"

namespace tilewise::grading {
namespace {

using SumFunction = std::function<Call(DeviceArray& sum, DeviceArray& x, int n)>;

enum class Numbers {
  whole,     ///< whole numbers whose sum is not rounded in any order, so that it has to be exact
  fractions  ///< fractions of both signs
};

struct SumCase {
  SumFunction function;
  int n = 0;
  Numbers numbers = Numbers::whole;
};

/// The largest count of whole numbers that can have more bits than half precision holds and still
/// have an exact sum in any order.
constexpr int most_long_numbers = 1024;

/// Returns whole numbers of both signs whose sum is not rounded in any order.
Matrix<float> exact_numbers(int count, Random& random) {
  if (count > most_long_numbers) return whole_numbers(count, random);
  constexpr int most = (1 << 23) / most_long_numbers;
  Matrix<float> numbers(1, count);
  for (float& number : numbers.values) {
    const int size = 1 + 2 * static_cast<int>(random() % (most / 2));
    number = static_cast<float>(random() % 2 == 0 ? size : -size);
  }
  return numbers;
}

class Sums : public ReductionTest<SumCase> {
 protected:
  /// The vector and the sum of one call.
  struct Vectors : Trial {
    Vectors(const SumCase& of_, const SumCase& allocated, Random& random)
        : of(of_),
          x(of.numbers == Numbers::whole ? exact_numbers(allocated.n, random)
                                         : random_matrix(1, allocated.n, random)),
          device_x("x", x),
          device_sum("sum", Access::output, 1, 1) {
      call = of.function(device_sum, device_x, of.n);
      text = call.text;
      arrays = {&device_sum, &device_x};
      computes = false;
      work = static_cast<double>(sizeof(float)) * of.n;
    }

    /// Returns the allowed error of the sum.
    double allowed() const {
      if (of.numbers == Numbers::whole) return 0;
      double magnitude = 0;
      for (const float value : x.values) magnitude += std::abs(double(value));
      return tolerance(of.n, magnitude);
    }

    /// Whether the sum is within the allowed error; NaN is not.
    bool is_near() const {
      return std::abs(double(device_sum.contents()(0, 0)) - sum_of(x)) <= allowed();
    }

    SumCase of;
    Matrix<float> x;
    DeviceArray device_x, device_sum;
  };

  PreparedTrial prepare_with(const SumCase& of, const SumCase& allocated) override {
    auto trial = std::make_unique<Vectors>(of, allocated, random());
    trial->check_result = [this, prepared = trial.get()] { check(*prepared); };
    trial->is_right = [prepared = trial.get()] { return prepared->is_near(); };
    trial->check_sample = trial->check_result;
    return trial;
  }

  std::string result_name() const override { return tr("sum"); }
  std::string edge_advice() const override { return tr("Only sum[0] is there to be written."); }
  std::string advice() const override {
    return tr(
        "Follow one element: which thread loads it, and by which additions it gets to the sum. "
        "Each must get there once.");
  }
  std::string advice_on_nothing() const override {
    return tr("Return early for n = 0: a grid without blocks cannot be launched.");
  }

  static SumCase of(const SumFunction& function, int n, Numbers numbers = Numbers::whole) {
    return {.function = function, .n = n, .numbers = numbers};
  }

  /// Expects cudaSuccess for n = 0, and a sum that is unchanged, or 0, which is acceptable, too.
  void expect_nothing_but_zero(const SumFunction& function) {
    Vectors trial(of(function, 0), of(function, 4), random());
    trial.reply = run_successfully(trial.call);
    check_guards(trial);
    const float found = trial.device_sum.contents()(0, 0);
    if (is_unwritten(found) || found == 0) return;
    fail({.message = tr("{} wrote {}, although there was nothing to add up.", trial.text,
                        describe_value(found)),
          .hint = advice_on_nothing()});
  }

  void expect_right_for_any_length(const SumFunction& function) {
    // Whole blocks of most sizes that one may choose come first, so that a fault in them is not
    // explained by edges.
    for (const int n : {1024, 256, 32, 4096, 1 << 16}) expect_right(of(function, n));
    for (const int n : {1, 2, 3, 5, 31, 33, 127, 255, 257, 511, 513, 997, 1023, 1025, 2047, 4099,
                        10'007, 100'003}) {
      expect_right(of(function, n));
    }
    // This is more than a fixed grid has threads, and leaves several loads for each thread after
    // its last whole round.
    expect_right(of(function, 1'500'007));
    for (const int n : {1, 1000, 40'000}) expect_right(of(function, n, Numbers::fractions));
    for (const int n : {1, 33, 1000, 4096}) expect_inside(of(function, n));
    expect_nothing_but_zero(function);
    for (const int n : {-1, -1024}) {
      expect_refused(of(function, n), of(function, 40), tr("n is negative"));
    }
    expect_right(of(function, 1000));
  }

  void expect_elements_loaded_once(const CountedCall& call, int n) {
    // Atomic additions, which count as loads, are checked separately.
    expect_few_atomics(call, n);
    const simt::Counters& total = call.use.total;
    // The slack allows for the sums that blocks leave to a second launch.
    constexpr double slack = 1.5;
    expect_traffic(call, global_loads,
                   {.requests = n / lanes_of_a_request() + total.global_atomic_requests,
                    .sectors = model::fewest_sectors(n) + total.global_atomic_sectors,
                    .reason = tr("each element is loaded once, beside its neighbours")},
                   slack,
                   tr("Each thread adds up its elements in a variable, and takes it from there."));
  }

  void expect_shared_memory_used(const CountedCall& call) {
    const simt::Counters& total = call.use.total;
    if (total.shared_store_requests > 0 && total.shared_load_requests > 0) {
      if (const auto excess = excess_bank_conflicts(call, lanes_of_a_request())) fail(*excess);
      return;
    }
    fail({.message = call.text + tr(" never uses shared memory."),
          .hint = tr("Let each thread put its sum into a __shared__ array, and half of the threads "
                     "add what the other half has put there, until one is left.")});
  }

  /// Expects the threads of a warp to hand over their sums without shared memory.
  void expect_few_shared_accesses(const CountedCall& call) {
    // A warp's sum is stored and loaded again, which makes up to two accesses per warp; a tree
    // takes four and more, as does one that ends in shuffles. If blocks count themselves, so that
    // the last one adds up all their sums, one thread of each block passes a flag to all warps.
    constexpr double most = 3;
    const simt::Counters& total = call.use.total;
    std::uint64_t warps = 0, blocks = 0;
    for (const simt::KernelProfile& launch : call.launches) {
      const auto& block = launch.launch.block;
      const std::uint64_t threads = std::uint64_t(block[0]) * block[1] * block[2];
      warps += launch.blocks * ((threads + 31) / 32);
      blocks += launch.blocks;
    }
    const std::uint64_t of_flags = total.global_atomic_requests > 0 ? warps + blocks : 0;
    const double accesses = double(total.shared_store_requests + total.shared_load_requests);
    if (accesses <= most * double(warps) + double(of_flags)) return;
    fail({.message = tr("{}: its {} warps make {} accesses to shared memory, {:.1f} each. "
                        "Two suffice, since lanes of a warp can hand over what they have "
                        "by shuffles.",
                        call.text, with_commas(warps), with_commas(std::uint64_t(accesses)),
                        accesses / double(warps)),
          .hint = tr("Add up the 32 numbers of a warp by five __shfl_down_sync() or "
                     "__shfl_xor_sync(), and bring one number of each warp to shared memory.")});
  }

  /// Expects at most one atomic addition for every 16 elements.
  void expect_few_atomics(const CountedCall& call, int n) {
    // One addition for each warp of 32 elements is right, but one for each thread is not.
    constexpr int elements_of_one = 16;
    // This counts every lane's addition, since on a GPU additions to one place come one after
    // another.
    const std::uint64_t additions = call.use.total.global_atomic_lane_bytes / sizeof(float);
    if (additions <= std::uint64_t(n) / elements_of_one) return;
    fail({.message = tr("{}: {} atomic additions for {} elements, which all wait for the "
                        "same place in memory.",
                        call.text, with_commas(additions), with_commas(std::uint64_t(n))),
          .hint =
              tr("Add up what the threads of a block have first, as sum_shuffle does, and let one "
                 "of them add that to *sum.")});
  }

 private:
  void check(const Vectors& trial) {
    if (trial.is_near()) return;
    const float found = trial.device_sum.contents()(0, 0);
    const double expected = sum_of(trial.x);
    std::string message =
        is_unwritten(found)
            ? tr("{}: the sum was never written, or something was added to what it held "
                 "before.",
                 trial.text)
            : tr("{}: the sum is {}, expected {}", trial.text, describe_value(found),
                 describe_value(static_cast<float>(expected)));
    std::string hint = advice();
    if (is_unwritten(found)) {
      hint = tr(
          "*sum holds no number before the call. Write it, or clear it before blocks add to it.");
    } else if (const std::string what = missing_or_doubled(trial, double(found) - expected);
               !what.empty()) {
      message += ": " + what + ".";
    } else if (const std::string part = counted_part(trial); !part.empty()) {
      message += ": " + part + ".";
      hint = tr(
          "Divide both numbers by the elements that a thread loads at a time. If the second is "
          "less "
          "than 32 then, lanes of a warp are lost: look at the first and the last distance of the "
          "shuffles, at their mask and width, and at where a tree ends. If it is more, warps are: "
          "look at where a tree begins, and at the loop over the sums of warps.");
    } else if (const HowOften counts = how_often(trial); !counts.what.empty()) {
      message += ": " + counts.what + ".";
      if (counts.grows) {
        hint = tr(
            "What stands further behind counts more often: a thread, or a block, goes on with what "
            "is another's. From one element of a thread to its next it is as far as there are "
            "threads in the grid.");
      }
    } else {
      message += trial.of.numbers == Numbers::whole
                     ? tr(". All are whole numbers, which add up without rounding.")
                     : tr(" (allowed error {:.2g}).", trial.allowed());
    }
    if (is_other_in_a_fresh_worker(trial)) {
      message +=
          tr(" In a fresh process the same call is right: something is left over from earlier "
             "calls.");
      hint =
          tr("What lies in __device__ variables, and in *sum, stays from call to call: set it anew "
             "in each.");
    }
    fail({.kind = "wrong-result", .message = message, .hint = hint, .call = trial.text});
  }

  /// Returns which part of x, left out or added twice, explains the difference.
  static std::string missing_or_doubled(const Vectors& trial, double difference) {
    const std::vector<float>& x = trial.x.values;
    const int n = trial.of.n;
    // With so many short numbers, sums may be equal by chance.
    if (trial.of.numbers != Numbers::whole || n > most_long_numbers) return {};
    // Tries to leave out all elements before one, or from one on.
    double head = 0;
    const double all = sum_of(trial.x);
    if (difference == -all && all != 0) return tr("nothing was added up");
    if (difference == all && all != 0) return tr("everything was added up twice");
    for (int i = 0; i < n; ++i) {
      if (i > 0 && difference == head - all && n - i <= n / 2) {
        return tr("the last {} elements are left out", n - i);
      }
      head += x[i];
      if (difference == -head && i + 1 <= n / 2) {
        return tr("the first {} elements are left out", i + 1);
      }
    }
    return {};
  }

  /// Returns the function's sum of ones and zeros, as `is_one` says, in a fresh process, or nothing
  /// if it fails there.
  std::optional<double> sum_of_others(const Vectors& trial,
                                      const std::function<bool(int)>& is_one) {
    Vectors others(trial.of, trial.of, random());
    for (int i = 0; i < trial.of.n; ++i) others.x.values[i] = is_one(i) ? 1.0f : 0.0f;
    others.device_x = DeviceArray("x", others.x);
    others.call = others.of.function(others.device_sum, others.device_x, others.of.n);
    if (!run_in_fresh_worker(others.call)) return std::nullopt;
    return others.device_sum.contents()(0, 0);
  }

  /// Returns which elements are added up, by the bits of their indices: it takes the sum of all
  /// ones, and for each bit the sum of ones at the indices with that bit set.
  std::string counted_part(const Vectors& trial) {
    constexpr int most = 1 << 16;
    const int n = trial.of.n;
    if (n < 2 || n > most || (n & (n - 1)) != 0) return {};
    const auto all = sum_of_others(trial, [](int) { return true; });
    if (!all || !(*all > 0)) return {};
    int first = n, end = 1;  // first <= bit < end: index bits that are 0 in all elements added up
    int counted = n;
    for (int bit = 1; bit < n; bit *= 2) {
      const auto set = sum_of_others(trial, [bit](int i) { return (i & bit) != 0; });
      if (!set) return {};
      if (*set != 0) {
        if (2 * *set != *all) return {};
        continue;
      }
      if (end != 1 && end != bit) return {};
      first = std::min(first, bit);
      end = 2 * bit;
      counted /= 2;
    }
    const double times = *all / counted;
    if (counted == n || times != std::floor(times)) return {};
    return times == 1 ? tr("of each {} elements only the first {} are added up", end, first)
                      : tr("of each {} elements only the first {} are added up, {} times each", end,
                           first, times);
  }

  struct HowOften {
    std::string what = {};  ///< empty if each is added once
    bool grows = false;     ///< the count grows from the first element to the last
  };

  /// Returns how often elements are added up.
  HowOften how_often(const Vectors& trial) {
    constexpr int most = 1 << 20;
    const int n = trial.of.n;
    if (n < 2 || n > most) return {};
    const auto all = sum_of_others(trial, [](int) { return true; });
    if (!all || !(*all >= 0) || *all == n) return {};
    const auto first = sum_of_others(trial, [](int i) { return i == 0; });
    const auto last = sum_of_others(trial, [n](int i) { return i == n - 1; });
    if (!first || !last || !(*first >= 0) || !(*last >= 0)) return {};
    const std::string words =
        *all < n ? tr("elements are left out") : tr("elements are added more than once");
    return {tr("of {} elements that are all 1 the sum is {}: {}; x[0] counts {} times, and x[{}] "
               "{} times",
               n, *all, words, *first, n - 1, *last),
            *first >= 1 && *last > *first};
  }

  bool is_other_in_a_fresh_worker(const Vectors& trial) {
    if (calls_made() < 2) return false;
    Vectors again(trial.of, trial.of, random());
    return run_in_fresh_worker(again.call) && again.is_near();
  }
};

const std::vector<SumFunction>& all_three() {
  static const std::vector<SumFunction> functions = {contracts::sum_shared, contracts::sum_shuffle,
                                                     contracts::sum_atomic};
  return functions;
}

TEST_F(Sums, AreRightForAnyLength) {
  for (const SumFunction& function : all_three()) expect_right_for_any_length(function);
}

TEST_F(Sums, AreFreeOfRacesAndStrayAccesses) {
  std::vector<SumCase> cases;
  for (const SumFunction& function : all_three()) {
    for (const int n : {4096, 1, 33, 1000, 20'001}) cases.push_back(of(function, n));
    // Here most grids have all the blocks that they ever have, so that an array of their sums is
    // used to its end. Tools for a GPU do not know where such an array ends.
    if (!options().on_gpu()) cases.push_back(of(function, 1'500'007));
  }
  expect_clean(cases);
}

TEST_F(Sums, LoadEachElementOnce) {
  if (skipped_without_simulator()) return;
  constexpr int n = 1 << 18;
  const CountedCall by_tree = count(of(contracts::sum_shared, n));
  expect_elements_loaded_once(by_tree, n);
  expect_shared_memory_used(by_tree);
  const CountedCall by_shuffles = count(of(contracts::sum_shuffle, n));
  expect_elements_loaded_once(by_shuffles, n);
  expect_few_shared_accesses(by_shuffles);
  const CountedCall by_atomics = count(of(contracts::sum_atomic, n));
  expect_elements_loaded_once(by_atomics, n);
}

// On an H200 loops that load one float at a time reach 52% to 63% of the solution, and two or three
// launches with several loads at once 89% to 96%. A single block, or atomic additions by all
// threads, are far below.
TEST_F(Sums, ReachMinimumBandwidth) {
  const int n = 1 << (options().models_rates() ? 24 : 25);
  const char* const names[] = {"gb_s_shared", "gb_s_shuffle", "gb_s_atomic"};
  for (std::size_t i = 0; i < all_three().size(); ++i) {
    expect_fast_enough(
        of(all_three()[i], n), names[i], fmt::format("n = {}", n),
        tr("Loads decide. Let neighbouring threads load neighbouring elements, four "
           "at a time as a float4, and let each thread have several of these on their "
           "way before it adds the first. Then few sums are left, of few threads."));
  }
}

}  // namespace
}  // namespace tilewise::grading
