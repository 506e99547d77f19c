// That common/theory/testdata/model_counters.csv and unseen_counters.csv are what the simulator
// counts: a few of their rows, of each GPU and kind of kernel, anew.

#include "common/simt/validation/model_rows.hpp"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "common/simt/simt.hpp"
#include "common/simt/validation/published_kernels.hpp"

namespace tilewise::simt {
namespace {

std::vector<std::string> recorded_lines(const std::string& table) {
  std::ifstream file(theory::reference_file(table + "_counters.csv"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

class ModelRows : public testing::TestWithParam<const char*> {};

TEST_P(ModelRows, AreWhatTheSimulatorCounts) {
  const std::string table = GetParam();
  const auto rows = theory::reference_table(table + "_measurements.csv");
  const std::vector<std::string> recorded = recorded_lines(table);
  ASSERT_EQ(recorded.size(), rows.size() + 1);
  EXPECT_EQ(recorded[0], model_counters_header());
  // The smallest order of each function on each GPU takes a second or less, and so does a product
  // in another style, of which most have one row.
  constexpr int largest = 1024;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& document = rows[i].text("document");
    if (rows[i].integer("n") > largest && document != "put2025" && document != "h200_styles") {
      continue;
    }
    std::string kind = rows[i].text("gpu") + " " + rows[i].text("function");
    if (document == "sgemm_ladder") kind += " " + rows[i].text("a");
    if (!seen.insert(kind).second) continue;
    EXPECT_EQ(model_counters_line(rows[i]), recorded[i + 1]) << rows[i].place();
  }
  EXPECT_GE(seen.size(), 18u);
}
INSTANTIATE_TEST_SUITE_P(Tables, ModelRows, testing::Values("model", "unseen"));

// Counters of a kernel that computes something else would be worth nothing.
TEST(SgemmLadder, ComputesHalfTheProductAndThreeTimesWhatWasThere) {
  constexpr int n = 256;
  use_device(core::gpu_profile("h200"));
  std::vector<float> a(n * n), b(n * n), c(n * n, 2.0f);
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i * 7 % 11 - 5);
    b[i] = static_cast<float>(i * 5 % 13 - 6);
  }
  float *A = nullptr, *B = nullptr, *C = nullptr;
  const auto copied = [&](float** to, const std::vector<float>& from) {
    return cudaMalloc(reinterpret_cast<void**>(to), from.size() * sizeof(float)) == cudaSuccess &&
           cudaMemcpy(*to, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice) ==
               cudaSuccess;
  };
  ASSERT_TRUE(copied(&A, a) && copied(&B, b) && copied(&C, c));
  for (int number = 1; number <= 10; ++number) {
    SCOPED_TRACE(number);
    cudaMemcpy(C, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
    ASSERT_TRUE(sgemm_ladder(A, B, C, n, number));
    std::vector<float> result(n * n);
    ASSERT_EQ(cudaMemcpy(result.data(), C, c.size() * sizeof(float), cudaMemcpyDeviceToHost),
              cudaSuccess);
    for (int row = 0; row < n; row += 3) {
      for (int col = 0; col < n; ++col) {
        float sum = 0;  // of small whole numbers: exact
        for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
        ASSERT_EQ(result[row * n + col], 0.5f * sum + 6) << row << ", " << col;
      }
    }
  }
  EXPECT_FALSE(sgemm_ladder(A, B, C, n, 11));
}

}  // namespace
}  // namespace tilewise::simt
