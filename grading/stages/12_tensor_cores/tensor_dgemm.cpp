#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "grading/stages/12_tensor_cores/contract.hpp"
#include "grading/stages/12_tensor_cores/tensor_products.hpp"
#include "grading/stages/any_gemm_fixture.hpp"

namespace tilewise::grading {
namespace {

class DgemmTensor : public AnyGemmTest {
 protected:
  bool skipped_without_tensor_cores() {
    if (device().compute_major >= 8) return false;
    return skip(tr("The {} has no tensor cores for doubles, which came with compute "
                   "capability 8.0.",
                   device().name),
                tr("Grade with --backend simt, which simulates an H200."));
  }

  DgemmFunction function = contracts::dgemm_tensor;
};

TEST_F(DgemmTensor, IsRightForAnyShape) {
  if (skipped_without_tensor_cores()) return;
  expect_any_shape(function);
  // These have more than one block of 128 x 128, and of 64 x 256, along each side, whole and
  // ragged.
  expect_inside(of(function, {256, 384, 48}, {0.75, -1.25}, {2, 4, 6}));
  expect_inside(of(function, {353, 379, 41}, {0.75, -1.25}, {3, 6, 2}));
  expect_inside(of(function, {201, 330, 68}, {-1, 1}, {0, 1, 8}));
  // Here rows begin at multiples of 16 bytes, and end within one.
  expect_inside(of(function, {37, 51, 29}, {1.5, 0.5}, {3, 5, 1}));
}

TEST_F(DgemmTensor, IsFreeOfRacesAndStrayAccesses) {
  if (skipped_without_tensor_cores()) return;
  std::vector<DgemmCase> cases;
  for (const Shape shape : {Shape{128, 128, 64}, Shape{64, 32, 128}, Shape{33, 70, 50},
                            Shape{70, 33, 17}, Shape{1, 40, 9}, Shape{40, 1, 33}}) {
    cases.push_back(of(function, shape));
  }
  cases.push_back(of(function, {1, 1, 1}, {1, 1}));
  cases.push_back(of(function, {37, 51, 29}, {1.5, 0.5}, {3, 5, 1}));
  cases.push_back(of(function, {37, 50, 29}, {0, 0.5}, {1, 1, 3}));
  cases.push_back(of(function, {37, 50, 0}, {1.5, 0.5}, {1, 1, 3}));
  for (const Gaps& gaps : odd_gaps) {
    cases.push_back(of(function, {40, 72, 24}, {1.5, 0.5}, gaps));
  }
  cases.push_back(of(function, {261, 139, 65}, {1.5, 0.5}, {3, 6, 2}));
  expect_clean(cases);
}

TEST_F(DgemmTensor, FetchesEachTileOnce) {
  if (skipped_without_simulator()) return;
  constexpr Shape whole = {256, 256, 128};
  const CountedCall call = count(of(function, whole));
  if (const auto few = few_tensor_products(call, &simt::Counters::tensor_double_products,
                                           std::uint64_t(whole.m) * whole.n * whole.k, 1)) {
    fail(*few);
  }
  expect_traffic(call, global_loads, tiles_fetched_once(whole.m, whole.n, whole.k, sizeof(double)),
                 slack_of_tiles, core::in_language(advice_on_tiles));
  // The results of a lane may be neighbours that are stored one by one.
  constexpr double slack_of_stores = 2;
  constexpr std::uint64_t lanes = 32, elements_of_sector = 4;
  constexpr std::uint64_t elements = std::uint64_t(whole.m) * whole.n;
  expect_traffic(call, global_stores,
                 {.requests = elements / lanes,
                  .sectors = elements / elements_of_sector,
                  .reason = tr("each element of C is stored once")},
                 slack_of_stores, tr("Sum up in registers, and store when the sum is complete."));
}

// On an H200 dgemm_shared of stage 8 reaches 38% of the solution, and right kernels in other styles
// 36 to 57% (docs/measurements/2026-11-23-tensor-cores-h200.md,
// 2026-11-24-stages-10-to-12-h200.md).
TEST_F(DgemmTensor, ReachesMinimumGflops) {
  if (skipped_without_tensor_cores()) return;
  if (!options().models_rates()) measure(of(function, {1024, 1024, 1024}), "gflops_n1024");
  // There are enough blocks of 128 x 128 for all multiprocessors. Without a GPU, each has few
  // products.
  const Shape shape = options().models_rates() ? Shape{2048, 2048, 256} : Shape{4096, 4096, 4096};
  expect_fast_enough(
      of(function, shape), minimum_speed(),
      tr("The tensor cores must never wait: let copies be several tiles ahead and "
         "operands one step, and a warp have 64 x 32 results, so that it reads little "
         "of shared memory for each product."));
}

}  // namespace
}  // namespace tilewise::grading
