// Runs the products of simt_benchmark on HIP-CPU (github.com/ROCm/HIP-CPU), whose threads are
// fibers, too.

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "products.hpp"

namespace {

using Product = void (*)(const float* A, const float* B, float* C, int n);

void product(benchmark::State& state, Product multiply) {
  const int n = static_cast<int>(state.range(0));
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> A(static_cast<std::size_t>(n) * n), B(A.size()), C(A.size());
  for (float& value : A) value = values(random);
  for (float& value : B) value = values(random);
  for (auto _ : state) multiply(A.data(), B.data(), C.data(), n);
  state.counters["GFLOPS"] =
      benchmark::Counter(2e-9 * n * n * n * state.iterations(), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(product, tiled, hip_cpu::tiled_product)
    ->Arg(256)
    ->Arg(512)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(product, naive, hip_cpu::naive_product)
    ->Arg(256)
    ->Arg(512)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
