#include "grading/examiner/matmul_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/theory/matmul_counts.hpp"
#include "grading/examiner/calling.hpp"
#include "grading/examiner/checks.hpp"
#include "grading/examiner/compare.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/examiner/peak.hpp"
#include "grading/examiner/reference.hpp"

namespace tilewise::grading {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

// The matrices of one call. C before the call is what an output holds: poison.
struct MatmulTest::Product {
  Product(int n, Random& random)
      : A(random_matrix(n, n, random)),
        B(random_matrix(n, n, random)),
        device_A("A", A),
        device_B("B", B),
        device_C("C", Access::output, n, n),
        before(device_C.contents()) {}

  Matrix<float> A;
  Matrix<float> B;
  DeviceArray device_A;
  DeviceArray device_B;
  DeviceArray device_C;
  Matrix<float> before;
  std::string text;  // of the call
  CallReply reply;
};

MatmulTest::Product MatmulTest::multiply_on_device(const MatmulCase& matmul) {
  Product product(matmul.n, random());
  const Call call = matmul.call(product.device_A, product.device_B, product.device_C);
  product.text = call.text;
  product.reply = run_successfully(call);
  return product;
}

void MatmulTest::check_result(const MatmulCase& matmul, const Product& product) {
  const ReferenceProduct expected = multiply(product.A, product.B);
  const Comparison comparison = compare(product.device_C.contents(), expected);
  if (!comparison.all_right()) {
    fail(wrong_result(product.text, comparison, matmul.mapping,
                      diagnose_product(matmul, product, expected), advice()));
  }
  check_launched(product.text, product.reply);
}

void MatmulTest::check_launched(const std::string& call, const CallReply& reply) {
  if (reply.launches > 0) return;
  fail({.message = call + " gave the right result without launching a kernel.",
        .hint = "The product is to be computed on the device, by a __global__ function that is "
                "launched with <<<grid, block>>>."});
}

std::optional<Diagnosis> MatmulTest::diagnose_product(const MatmulCase& matmul,
                                                      const Product& product,
                                                      const ReferenceProduct& expected) {
  const Matrix<float> after = product.device_C.contents();
  const Rerun rerun = [&](const Matrix<float>& A, const Matrix<float>& B,
                          const Matrix<float>& before) -> std::optional<Matrix<float>> {
    DeviceArray device_A("A", A);
    DeviceArray device_B("B", B);
    DeviceArray device_C("C", Access::output, matmul.n, matmul.n);
    device_C.set(before);
    if (!run_in_fresh_worker(matmul.call(device_A, device_B, device_C))) return std::nullopt;
    return device_C.contents();
  };
  // Where blocks compute some of each part of C, tiles counted from its corner are nobody's.
  const auto& part = matmul.mapping.part;
  return diagnose({.A = product.A,
                   .B = product.B,
                   .before = product.before,
                   .after = after,
                   .expected = expected,
                   .tile = part ? TileShape{matmul.n, matmul.n} : matmul.mapping.tile,
                   .part = part},
                  calls_made() == 1, rerun);
}

CallReply MatmulTest::expect_right(const MatmulCase& matmul) {
  const Product product = multiply_on_device(matmul);
  check_result(matmul, product);
  return product.reply;
}

void MatmulTest::expect_launch_failure_reported(const MatmulCase& matmul,
                                                const std::string& reason) {
  Product product(matmul.n, random());
  const Call call = matmul.call(product.device_A, product.device_B, product.device_C);
  product.text = call.text;
  product.reply = run(call);
  if (product.reply.launches > 0 || !product.reply.diagnostics.empty()) {
    if (const auto failure = failure_of(call.text, product.reply)) fail(*failure);
    check_result(matmul, product);
    return;
  }
  if (product.reply.cuda_status == cudaSuccess) {
    fail({.message = fmt::format("{} returned cudaSuccess without launching a kernel: {}.",
                                 call.text, reason),
          .hint = "Return what cudaGetLastError() says after the launch."});
  }
  check_untouched(product, "although it returned " + product.reply.cuda_error_name);
}

void MatmulTest::expect_inside(const MatmulCase& matmul) {
  const Product product = multiply_on_device(matmul);
  // Before the result: where a store went astray, it says more than what it spoilt.
  for (const DeviceArray* array : {&product.device_C, &product.device_A, &product.device_B}) {
    if (const auto damage = array->guard_damage()) {
      fail(written_outside(product.text, *array, *damage, matmul.n));
    }
  }
  for (const DeviceArray* input : {&product.device_A, &product.device_B}) {
    if (const auto change = input->first_changed()) {
      fail(changed_input(product.text, *input, *change));
    }
  }
  check_result(matmul, product);
}

void MatmulTest::expect_clean(const std::vector<MatmulCase>& cases) {
  const std::vector<CheckPass> passes = check_passes(options(), random());
  if (passes.empty()) {
    skip("compute-sanitizer, which finds races and stray accesses on a GPU, is not installed.",
         "It comes with the CUDA Toolkit. Grade with --backend simt as well: the simulator finds "
         "more of them.");
    return;
  }
  // Judged last: a fault, which another pass may have to find, explains more than what it spoils.
  std::vector<std::pair<const MatmulCase*, Product>> results;
  for (const CheckPass& pass : passes) {
    CheckedCalls calls(options(), pass);
    if (const std::string obstacle = calls.obstacle(); !obstacle.empty()) {
      skip("compute-sanitizer does not run here: " + obstacle,
           "Grade with --backend simt as well.");
      return;
    }
    for (const MatmulCase& matmul : cases) {
      Product product(matmul.n, random());
      const Call call = matmul.call(product.device_A, product.device_B, product.device_C);
      product.text = call.text + pass.circumstances;
      if (const auto fault = calls.make(call, product.reply)) fail(*fault);
      results.emplace_back(&matmul, std::move(product));
    }
    if (const auto fault = calls.finish()) fail(*fault);
  }
  for (const auto& [matmul, product] : results) check_result(*matmul, product);
}

CountedCall MatmulTest::count(const MatmulCase& matmul) {
  Product product(matmul.n, random());
  const Call call = matmul.call(product.device_A, product.device_B, product.device_C);
  product.text = call.text;
  product.reply = run_counted(call);
  check_result(matmul, product);
  return {call.text, add_up(product.reply.profiles)};
}

void MatmulTest::expect_traffic(const CountedCall& call, const AccessKind& kind,
                                const TrafficTheory& theory, double slack,
                                const std::string& advice) {
  if (const auto excess = excess_traffic(call, kind, theory, slack, advice)) fail(*excess);
}

void MatmulTest::expect_joined_stores(const CountedCall& call, int n) {
  // Room for results in parts, or a copy of an input with longer rows; a column of threads that
  // stores a column of C takes four times the sectors, or eight.
  constexpr double slack = 3;
  const std::uint64_t elements = std::uint64_t(n) * n;
  const std::uint64_t lanes = lanes_of_a_request();
  const TrafficTheory theory{.requests = (elements + lanes - 1) / lanes,
                             .sectors = theory::fewest_sectors(elements),
                             .reason = "each element of C is stored once, beside its neighbours"};
  expect_traffic(call, global_stores, theory, slack,
                 "Sum up in a variable, and store it when the sum is complete.");
}

int MatmulTest::lanes_of_a_request() const {
  return options().profile.compute_major == 1 ? 16 : 32;
}

void MatmulTest::check_untouched(const Product& product, const std::string& when) {
  for (const DeviceArray* array : {&product.device_C, &product.device_A, &product.device_B}) {
    if (array->untouched()) continue;
    fail({.message = fmt::format("{} wrote to {}, {}.", product.text, array->name(), when),
          .hint = "Check the arguments first, and return before anything is launched or written."});
  }
}

void MatmulTest::expect_refused(const MatmulCase& matmul, int allocated,
                                const std::string& reason) {
  Product product(allocated, random());
  const Call call = matmul.call(product.device_A, product.device_B, product.device_C);
  product.text = call.text;
  const CallReply reply = run(call);
  if (reply.cuda_status != cudaErrorInvalidValue) {
    fail(wrong_status(call.text, reply.cuda_error_name, "cudaErrorInvalidValue", reason));
  }
  if (reply.launches > 0) {
    fail({.message = call.text + " launched a kernel, although it returned cudaErrorInvalidValue.",
          .hint = "Check the arguments first, and return before anything is launched or written."});
  }
  check_untouched(product, "although it returned cudaErrorInvalidValue");
}

void MatmulTest::expect_nothing_done(const MatmulCase& matmul) {
  Product product(matmul.n, random());
  const Call call = matmul.call(product.device_A, product.device_B, product.device_C);
  product.text = call.text;
  const CallReply reply = run(call);
  if (reply.cuda_status != cudaSuccess) {
    fail({.message = fmt::format("{} returned {}, expected cudaSuccess: there is nothing to do.",
                                 call.text, reply.cuda_error_name),
          .hint = "Return early for n = 0: a grid without blocks cannot be launched."});
  }
  check_untouched(product, "although there was nothing to do");
}

MatmulTest::Rate MatmulTest::measure(const MatmulCase& matmul, const std::string& name) {
  // Enough for a median that one disturbed run does not move.
  constexpr Timing timing{.warmups = 2, .repetitions = 9};
  // A kernel that leaves out half of C's rows escapes 16 sampled ones once in 16,000 times.
  constexpr int sampled_rows = 16;

  Product product(matmul.n, random());
  const Call call = matmul.call(product.device_A, product.device_B, product.device_C);
  const CallReply reply = run_successfully(call, timing);
  check_launched(call.text, reply);
  const Matrix<float> C = product.device_C.contents();
  const Comparison comparison = compare(
      C, multiply_rows(product.A, product.B, sample_rows(matmul.n, sampled_rows, random())));
  if (!comparison.all_right()) {
    fail(wrong_result(call.text, comparison, matmul.mapping, std::nullopt, advice()));
  }
  const auto unwritten =
      std::ranges::find_if(C.values, [](float value) { return has_bits(value, unwritten_bits); });
  if (unwritten != C.values.end()) {
    const auto place = unwritten - C.values.begin();
    fail({.message = fmt::format("{}: C[{}][{}] was never written.", call.text, place / matmul.n,
                                 place % matmul.n),
          .hint = advice()});
  }
  const double operations = 2.0 * matmul.n * matmul.n * matmul.n;
  const auto [fastest, slowest] = std::ranges::minmax(reply.times_ms);
  const Rate rate{.gflops = operations / (median(reply.times_ms) * 1e6),
                  .spread = slowest / fastest};
  record_measurement(name, rate.gflops);
  return rate;
}

void MatmulTest::expect_fraction_of_peak(const MatmulCase& matmul, double fraction) {
  // Beyond this the device was shared, throttled or still waking up.
  constexpr double trusted_spread = 1.5;

  const Rate rate = measure(matmul, "gflops");
  const auto peak = peak_fp32_gflops(device());
  if (!peak) {
    fail(
        {.message = "The driver does not tell this device's clock or kind, so no minimum is known.",
         .status = Status::inconclusive});
  }
  const double minimum = fraction * *peak;
  record_measurement("minimum_gflops", minimum);
  if (rate.gflops > *peak) {
    fail({.message =
              fmt::format("{:.0f} GFLOPS at n = {} are more than this device can do ({:.0f}): "
                          "the timed calls did not do all the work.",
                          rate.gflops, matmul.n, *peak),
          .hint = "Compute the whole product in every call, and wait for nothing on the host."});
  }
  if (rate.gflops >= minimum) return;
  if (rate.spread > trusted_spread) {
    fail({.message = fmt::format("{:.0f} GFLOPS at n = {} are below the minimum of {:.0f}, but the "
                                 "slowest run took {:.1f} times as long as the fastest.",
                                 rate.gflops, matmul.n, minimum, rate.spread),
          .hint = "Grade again while nothing else uses the GPU.",
          .status = Status::inconclusive});
  }
  fail({.message = fmt::format("{:.0f} GFLOPS at n = {}, minimum {:.0f} ({:.1f}% of this device's "
                               "peak).",
                               rate.gflops, matmul.n, minimum, 100 * fraction),
        .hint = "Neighbouring threads (threadIdx.x) should read and write neighbouring elements of "
                "B and C, "
                "so that the accesses of a warp join, and find their elements of a shared tile in "
                "different banks."});
}

}  // namespace tilewise::grading
