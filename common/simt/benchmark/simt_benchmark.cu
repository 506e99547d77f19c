// How fast the simulator runs kernels, on all cores: the figure to watch is GFLOPS of the tiled
// product, which passes two barriers for every 16 multiply-adds of a thread.

#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <random>
#include <vector>

namespace {

constexpr int tile = 16;

/// A, B, C: (n, n), n a multiple of the tile.
__global__ void tiled_product(const float* A, const float* B, float* C, int n) {
  __shared__ float As[tile][tile], Bs[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += tile) {
    As[threadIdx.y][threadIdx.x] = A[row * n + k0 + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

/// As above, without shared memory or barriers.
__global__ void naive_product(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

__global__ void only_barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

__global__ void only_shuffles(int count, int* out) {
  int value = static_cast<int>(threadIdx.x);
  for (int i = 0; i < count; ++i) value += __shfl_xor_sync(0xffffffffu, value, 1);
  if (value == -1) *out = value;
}

template <void (*kernel)(const float*, const float*, float*, int)>
void product(benchmark::State& state) {
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
  for (auto _ : state) {
    kernel<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(matrices[0], matrices[1], matrices[2],
                                                           n);
  }
  for (float* matrix : matrices) cudaFree(matrix);
  state.counters["GFLOPS"] =
      benchmark::Counter(2e-9 * n * n * n * state.iterations(), benchmark::Counter::kIsRate);
}
BENCHMARK(product<tiled_product>)->Name("tiled_product")->Arg(256)->Arg(512)->UseRealTime();
BENCHMARK(product<naive_product>)->Name("naive_product")->Arg(512)->UseRealTime();

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
