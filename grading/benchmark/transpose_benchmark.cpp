// What the transposes of stage 7 reach on a GPU, beside a copy of the same size and cuBLAS.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/core/median.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/event.hpp"
#include "common/cuda/l2_flush.hpp"
#include "grading/benchmark/sgeam.hpp"
#include "labs/07_transpose/transpose.hpp"

namespace tilewise::benchmark {
namespace {

struct Row {
  std::string name;
  bool transposes;
  std::function<void(float* out, const float* in, int rows, int cols)> run;
  std::vector<double> ms = {};  // of a call, one for each round
};

std::vector<Row> rows_of_table() {
  const auto checked = [](auto function) {
    return [function](float* out, const float* in, int rows, int cols) {
      TILEWISE_CUDA_CHECK(function(out, in, rows, cols));
    };
  };
  std::vector<Row> rows = {
      {"cudaMemcpy", false,
       [](float* out, const float* in, int rows, int cols) {
         TILEWISE_CUDA_CHECK(cudaMemcpyAsync(out, in, sizeof(float) * rows * cols,
                                             cudaMemcpyDeviceToDevice, nullptr));
       }},
      {"transpose_naive", true, checked(transpose_naive)},
      {"transpose_tiled", true, checked(transpose_tiled)},
      {"transpose_padded", true, checked(transpose_padded)},
      {"transpose_diagonal", true, checked(transpose_diagonal)},
  };
  if (const auto sgeam = cublas_sgeam()) rows.push_back({"cublasSgeam", true, *sgeam});
  return rows;
}

void measure(int rows, int cols, int rounds) {
  const std::size_t elements = std::size_t(rows) * cols, bytes = elements * sizeof(float);
  std::vector<float> in(elements), out(elements);
  // Exact in float, and no two elements near each other are equal.
  for (std::size_t i = 0; i < elements; ++i) in[i] = static_cast<float>(i % 16777213);
  cuda::DeviceBuffer device_in(bytes), device_out(bytes);
  device_in.upload(in.data());
  cuda::L2Flush flush;
  cuda::Event start, stop;
  const auto call = [&](const Row& row) {
    row.run(static_cast<float*>(device_out.data()), static_cast<const float*>(device_in.data()),
            rows, cols);
  };

  std::vector<Row> table = rows_of_table();
  for (const Row& row : table) {
    if (!row.transposes) continue;
    TILEWISE_CUDA_CHECK(cudaMemset(device_out.data(), 0xff, bytes));
    call(row);
    device_out.download(out.data());
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        if (out[std::size_t(c) * rows + r] == in[std::size_t(r) * cols + c]) continue;
        throw std::runtime_error(fmt::format("{} with {}x{}: out[{}][{}] is {}, not in[{}][{}]",
                                             row.name, rows, cols, c, r,
                                             out[std::size_t(c) * rows + r], r, c));
      }
    }
  }
  // In turn, so that whatever disturbs the device disturbs all alike. The first round warms up.
  for (int round = 0; round <= rounds; ++round) {
    for (Row& row : table) {
      flush.run();
      start.record();
      call(row);
      stop.record();
      stop.wait();
      if (round > 0) row.ms.push_back(stop.ms_since(start));
    }
  }
  const double copy_ms = core::median(table.front().ms);
  for (const Row& row : table) {
    const double ms = core::median(row.ms);
    const auto [least, most] = std::ranges::minmax(row.ms);
    fmt::print("{:6} x {:<6} {:20} {:6.0f} GB/s  {:.3f} of the copy  {:9.4f} ms (spread {:.1f}%)\n",
               rows, cols, row.name, 2.0 * bytes / (ms * 1e6), copy_ms / ms, ms,
               100 * (most / least - 1));
  }
}

int run(int argc, char** argv) {
  CLI::App app("Rates of the transposes of stage 7 on a GPU, of a copy and of cuBLAS");
  std::vector<int> orders = {4000, 4096, 16384};
  int rounds = 15;
  app.add_option("--orders", orders, "Rows, and columns, of the matrix")->delimiter(',');
  app.add_option("--rounds", rounds, "Times that each is timed, odd; the median counts")
      ->check(CLI::Range(1, 1001));
  CLI11_PARSE(app, argc, argv);
  for (const int order : orders) measure(order, order, rounds);
  return 0;
}

}  // namespace
}  // namespace tilewise::benchmark

int main(int argc, char** argv) {
  try {
    return tilewise::benchmark::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "transpose_benchmark: {}\n", error.what());
    return 2;
  }
}
