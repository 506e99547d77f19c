// What the solutions of stages 3, 4, 5, 6 and 9 reach on a GPU, side by side in one run.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/core/median.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/event.hpp"
#include "common/cuda/l2_flush.hpp"
#include "grading/benchmark/kernel_facts.hpp"
#include "grading/benchmark/matmul_cases.hpp"
#include "grading/benchmark/sgemm.hpp"

namespace tilewise::benchmark {
namespace {

using Matrix = std::vector<float>;

Matrix random_matrix(int n, std::mt19937& random) {
  std::uniform_real_distribution<float> values(-1, 1);
  Matrix matrix(std::size_t(n) * n);
  for (float& value : matrix) value = values(random);
  return matrix;
}

/// One row of the table.
struct Row {
  MatmulCase product;
  KernelFacts facts;
  std::vector<double> ms;  // of a call, one for each round
};

/// The matrices of one order, and the times of products of them.
class Measurement {
 public:
  Measurement(int n, std::mt19937& random) : n_(n), A_(bytes()), B_(bytes()), C_(bytes()) {
    A_.upload(random_matrix(n, random).data());
    B_.upload(random_matrix(n, random).data());
  }

  /// Milliseconds of device time a call. Small products are called many times in a row: one alone
  /// would be lost in the time that a launch takes.
  double time(const MatmulCase& product) {
    const double operations = 2.0 * n_ * n_ * n_;
    constexpr double enough = 1e10;  // a millisecond of 10,000 GFLOPS
    const int calls = std::max(1, static_cast<int>(enough / operations));
    flush_.run();
    start_.record();
    for (int i = 0; i < calls; ++i) run(product);
    stop_.record();
    stop_.wait();
    return stop_.ms_since(start_) / calls;
  }

  /// What a product leaves in C, which is NaN before.
  Matrix result(const MatmulCase& product) {
    TILEWISE_CUDA_CHECK(cudaMemset(C_.data(), 0xff, bytes()));
    run(product);
    Matrix C(std::size_t(n_) * n_);
    C_.download(C.data());
    return C;
  }

 private:
  std::size_t bytes() const { return std::size_t(n_) * n_ * sizeof(float); }

  void run(const MatmulCase& product) {
    TILEWISE_CUDA_CHECK(product.run(static_cast<const float*>(A_.data()),
                                    static_cast<const float*>(B_.data()),
                                    static_cast<float*>(C_.data()), n_));
  }

  int n_;
  cuda::DeviceBuffer A_, B_, C_;
  cuda::L2Flush flush_;
  cuda::Event start_, stop_;
};

/// @throws std::runtime_error where two results differ by more than the order of summation explains
void expect_close(const Matrix& found, const Matrix& expected, int n, const std::string& call) {
  // Far more than the rounding of n products of magnitude 1, far less than one missing product.
  const double tolerance = 1e-5 * std::sqrt(n) + 1e-5;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::abs(found[i] - expected[i]) <= tolerance) continue;
    throw std::runtime_error(fmt::format("{} with n={}: C[{}][{}] is {}, but others give {}", call,
                                         n, i / n, i % n, found[i], expected[i]));
  }
}

std::vector<Row> measure(int n, int rounds, std::mt19937& random) {
  Measurement measurement(n, random);
  std::vector<Row> rows;
  for (MatmulCase& product : matmul_cases()) rows.push_back({std::move(product), {}, {}});
  const Matrix expected = measurement.result(rows.front().product);
  for (Row& row : rows) {
    Matrix found;
    row.facts = facts_of_kernel_in([&] { found = measurement.result(row.product); });
    expect_close(found, expected, n, row.product.call);
  }
  if (const auto sgemm = cublas_sgemm()) {
    const auto run = [sgemm = *sgemm](const float* A, const float* B, float* C, int n) {
      sgemm(A, B, C, n);
      return cudaSuccess;
    };
    rows.push_back({{"cuBLAS", "cublasSgemm, FP32", 0, 0, run}, {}, {}});
    expect_close(measurement.result(rows.back().product), expected, n, "cublasSgemm");
  }
  // In turn, so that whatever disturbs the device disturbs all alike. The first round warms up.
  for (int round = 0; round <= rounds; ++round) {
    for (Row& row : rows) {
      const double ms = measurement.time(row.product);
      if (round > 0) row.ms.push_back(ms);
    }
  }
  return rows;
}

double gflops(const Row& row, int n) { return 2.0 * n * n * n / (core::median(row.ms) * 1e6); }

void print(const std::vector<Row>& rows, int n, std::ostream& csv) {
  for (const Row& row : rows) {
    const auto [least, most] = std::ranges::minmax(row.ms);
    const double spread_pct = 100 * (most / least - 1);
    fmt::print(
        "{:5} {:40} {:8.0f} GFLOPS {:9.4f} ms (spread {:4.1f}%) CGMA {:5.1f} "
        "{:3} registers {:5} B local {:5} B shared, occupancy {:5.1f}%\n",
        n, row.product.call, gflops(row, n), core::median(row.ms), spread_pct, row.product.cgma(),
        row.facts.registers, row.facts.local_bytes, row.facts.shared_bytes,
        row.facts.occupancy_pct);
    csv << fmt::format("{},\"{}\",{},{:.1f},{:.5f},{:.1f},{:.1f},{},{},{},{:.1f}\n",
                       row.product.stage, row.product.call, n, gflops(row, n), core::median(row.ms),
                       spread_pct, row.product.cgma(), row.facts.registers, row.facts.local_bytes,
                       row.facts.shared_bytes, row.facts.occupancy_pct);
  }
}

int run(int argc, char** argv) {
  CLI::App app("Rates of the solutions of stages 3, 4, 5, 6 and 9 on a GPU, and of cuBLAS");
  std::vector<int> orders = {1024, 1600, 2048, 3200, 4096};
  int rounds = 9;
  std::string csv_path = "matmul_rates.csv";
  app.add_option("--orders", orders, "Orders of the matrices")->delimiter(',');
  app.add_option("--rounds", rounds, "Times that each product is timed; the median counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--csv", csv_path, "Where the table goes");
  CLI11_PARSE(app, argc, argv);

  cudaDeviceProp device{};
  TILEWISE_CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  int runtime = 0, driver = 0;
  TILEWISE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  TILEWISE_CUDA_CHECK(cudaDriverGetVersion(&driver));
  fmt::print("{}, CUDA run-time {}, driver {}, {} rounds\n", device.name, runtime, driver, rounds);

  std::ofstream csv(csv_path);
  csv << "stage,call,n,gflops,ms,spread_pct,cgma,registers,local_bytes,shared_bytes,"
         "occupancy_pct\n";
  std::mt19937 random(20261121);
  for (const int n : orders) print(measure(n, rounds, random), n, csv);
  csv.close();
  if (!csv) throw std::runtime_error("cannot write " + csv_path);
  return 0;
}

}  // namespace
}  // namespace tilewise::benchmark

int main(int argc, char** argv) {
  try {
    return tilewise::benchmark::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "matmul_benchmark: {}\n", error.what());
    return 2;
  }
}
