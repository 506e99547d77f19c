// How fast the simulator runs kernels, on all cores. The figures to watch: GFLOPS of the tiled
// product, which passes two barriers for every 16 multiply-adds of a thread; that rate with every
// access checked, over it (a tenth at least); and the time to profile one call at n = 4096 (3 s at
// most).

#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <random>
#include <vector>

#include "common/simt/watch.hpp"
#include "products.hpp"

namespace {

using namespace tilewise::simt;

__global__ void only_barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

__global__ void only_shuffles(int count, int* out) {
  int value = static_cast<int>(threadIdx.x);
  for (int i = 0; i < count; ++i) value += __shfl_xor_sync(0xffffffffu, value, 1);
  if (value == -1) *out = value;
}

using Product = void (*)(const float* A, const float* B, float* C, int n);

void product(benchmark::State& state, Product multiply, const Watch& wanted) {
  watch(wanted);
  const int n = static_cast<int>(state.range(0));
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> host(static_cast<std::size_t>(n) * n);
  float* matrices[3];
  for (float*& matrix : matrices) {
    for (float& value : host) value = values(random);
    cudaMalloc(&matrix, host.size() * sizeof(float));
    cudaMemcpy(matrix, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  }
  const auto describe = [&](float* matrix, const char* name, bool read_only) {
    describe_buffer(matrix, {.name = name,
                             .bytes = host.size() * sizeof(float),
                             .read_only = read_only,
                             .element_bytes = sizeof(float),
                             .row_elements = static_cast<std::size_t>(n)});
  };
  describe(matrices[0], "A", true);
  describe(matrices[1], "B", true);
  describe(matrices[2], "C", false);
  for (auto _ : state) {
    multiply(matrices[0], matrices[1], matrices[2], n);
    if (!take_findings().empty()) state.SkipWithError("the checks found something");
    take_profiles();
  }
  for (float* matrix : matrices) cudaFree(matrix);
  watch({});
  state.counters["GFLOPS"] =
      benchmark::Counter(2e-9 * n * n * n * state.iterations(), benchmark::Counter::kIsRate);
}

const Watch unwatched{};
const Watch checks{.checks = true};
const Watch counters{.counters = true};
const Watch sampled{.counters = true, .sample = true};

BENCHMARK_CAPTURE(product, tiled, fast::tiled_product, unwatched)
    ->Arg(256)
    ->Arg(512)
    ->UseRealTime();
BENCHMARK_CAPTURE(product, tiled_checked, checked::tiled_product, checks)->Arg(256)->UseRealTime();
BENCHMARK_CAPTURE(product, tiled_counted, checked::tiled_product, counters)
    ->Arg(256)
    ->UseRealTime();
BENCHMARK_CAPTURE(product, tiled_profiled, checked::tiled_product, sampled)
    ->Arg(4096)
    ->UseRealTime();
BENCHMARK_CAPTURE(product, naive, fast::naive_product, unwatched)
    ->Arg(256)
    ->Arg(512)
    ->UseRealTime();
BENCHMARK_CAPTURE(product, naive_checked, checked::naive_product, checks)->Arg(256)->UseRealTime();

#ifdef TILEWISE_SPLIT_PRODUCTS

/// The same on one core: by clang as fibers, split at its barriers, which whole programs alone are
/// run by, and split by hand.
void on_one_core(benchmark::State& state, Product multiply, bool is_whole_program) {
  set_worker_threads(1);
  if (is_whole_program) listen({.tell = [] {}});
  product(state, multiply, unwatched);
  listen({});
  set_worker_threads(0);
}
BENCHMARK_CAPTURE(on_one_core, tiled_as_fibers, by_clang::tiled_product, false)
    ->Arg(512)
    ->UseRealTime();
BENCHMARK_CAPTURE(on_one_core, tiled_split, by_clang::tiled_product, true)->Arg(512)->UseRealTime();
BENCHMARK_CAPTURE(on_one_core, naive_as_fibers, by_clang::naive_product, false)
    ->Arg(512)
    ->UseRealTime();
BENCHMARK_CAPTURE(on_one_core, naive_split, by_clang::naive_product, true)->Arg(512)->UseRealTime();

void by_hand_on_one_core(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<float> A(static_cast<std::size_t>(n) * n, 0.5f), B(A), C(A);
  for (auto _ : state) by_hand::tiled_product(A.data(), B.data(), C.data(), n);
  state.counters["GFLOPS"] =
      benchmark::Counter(2e-9 * n * n * n * state.iterations(), benchmark::Counter::kIsRate);
}
BENCHMARK(by_hand_on_one_core)->Arg(512)->UseRealTime();

#endif

void barriers(benchmark::State& state) {
  constexpr int count = 1000, blocks = 8;
  const int threads = static_cast<int>(state.range(0));
  for (auto _ : state) only_barriers<<<blocks, threads>>>(count);
  state.SetItemsProcessed(state.iterations() * count * blocks * threads);
}
BENCHMARK(barriers)->Arg(32)->Arg(256)->Arg(1024)->UseRealTime();

void shuffles(benchmark::State& state) {
  constexpr int count = 1000, blocks = 8, threads = 128;
  for (auto _ : state) only_shuffles<<<blocks, threads>>>(count, nullptr);
  state.SetItemsProcessed(state.iterations() * count * blocks * threads);
}
BENCHMARK(shuffles)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
