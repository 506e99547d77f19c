// Small kernels, each with something of its own to be split at, or not to be. The program runs each
// of them in blocks of several shapes and prints what comes out, bit by bit.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

constexpr int most_threads = 1024;

__device__ int number() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ int threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ int element() {
  const int block = blockIdx.x + gridDim.x * blockIdx.y;
  return block * threads() + number();
}

__global__ void without_barrier(const float* x, float* y) {
  y[element()] = 2 * x[element()] + static_cast<float>(threadIdx.y);
}

__global__ void a_barrier(const float* x, float* y) {
  __shared__ float s[most_threads];
  s[number()] = x[element()];
  __syncthreads();
  y[element()] = s[threads() - 1 - number()];
}

__global__ void barriers_in_a_loop(const float* x, float* y) {
  __shared__ float s[most_threads];
  float sum = 0;
  for (int round = 0; round < 5; ++round) {
    s[number()] = x[element()] + static_cast<float>(round);
    __syncthreads();
    sum = sum * 0.5f + s[(number() + round) % threads()];
    __syncthreads();
  }
  y[element()] = sum;
}

__global__ void loops_in_loops(const float* x, float* y, int n) {
  __shared__ float s[most_threads];
  float sum = 0, last = 1;
  for (int i = 0; i < n; ++i) {
    for (int k = i; k < n; ++k) {
      s[number()] = x[element()] * static_cast<float>(k) + last;
      __syncthreads();
      if (k % 2 == 0) {
        sum += s[(number() + i) % threads()];
      } else {
        last = s[(number() + k) % threads()];
        __syncthreads();
      }
      __syncthreads();
    }
  }
  y[element()] = sum - last;
}

__global__ void a_reduction(const float* x, float* y) {
  __shared__ float s[most_threads];
  s[number()] = x[element()];
  int count = threads();
  while (count > 1) {
    __syncthreads();
    const int half = (count + 1) / 2;
    if (number() < count / 2) s[number()] += s[number() + half];
    count = half;
  }
  __syncthreads();
  y[element()] = s[0];
}

__global__ void an_early_return(const float* x, float* y, int n) {
  if (number() >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum = sum * 0.25f + x[k];
  y[element()] = sum + x[number()];
}

__global__ void rows_that_return(const float* x, float* y) {
  __shared__ float s[most_threads];
  if (threadIdx.y % 2 == 1) return;
  s[number()] = x[element()];
  __syncthreads();
  y[element()] = s[number() - threadIdx.x];
}

__global__ void loops_of_different_length(const float* x, float* y) {
  float sum = 0;
  for (int k = 0; k < number() % 7; ++k) sum = sum * 0.75f + x[k];
  y[element()] = sum;
}

__global__ void strides(const float* x, float* y, int n) {
  for (int i = element(); i < n; i += threads() * gridDim.x * gridDim.y) y[i] = x[i] * x[n - 1 - i];
}

__global__ void both_ways(const float* x, float* y, int n) {
  float value = x[element()];
  if (n > 3) {
    if (threadIdx.x % 3 == 0) {
      value *= 3;
    } else if (threadIdx.x % 3 == 1) {
      value -= 1;
    }
  } else {
    value = -value;
  }
  y[element()] = value;
}

__global__ void dynamic_memory(const float* x, float* y) {
  extern __shared__ float dynamic[];
  dynamic[number()] = x[element()];
  __syncthreads();
  y[element()] = dynamic[(number() * 3 + 1) % threads()];
}

__global__ void local_arrays(const float* x, float* y, int n) {
  __shared__ float s[most_threads];
  float local[8];
  for (int i = 0; i < 8; ++i) local[i] = x[element()] * static_cast<float>(i);
  s[number()] = local[n % 8];
  __syncthreads();
  local[number() % 8] += s[(number() + 1) % threads()];
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += local[(i * 3 + number()) % 8];
  y[element()] = sum;
}

__global__ void odd_local_arrays(const float* x, float* y, int n) {
  float local[5];
  for (int i = 0; i < 5; ++i) local[i] = x[element() / (i + 1)];
  for (int i = 0; i < n; ++i) local[(i * i) % 5] -= local[(number() + i) % 5];
  y[element()] = local[n % 5] + local[0] * local[1] + local[2] * local[3] - local[4];
}

__global__ void a_halo(const float* x, float* y) {
  __shared__ float s[most_threads];
  const unsigned at = number();
  s[at] = x[element()];
  __syncthreads();
  const unsigned before = at - 1;
  float sum = s[at];
  if (before < static_cast<unsigned>(threads())) sum += s[before];
  if (at + 1 < static_cast<unsigned>(threads())) sum -= s[at + 1];
  y[element()] = sum;
}

__global__ void wrapping_indices(const float* x, float* y) {
  const unsigned at = number() + 0xfffffff8u;
  float sum = x[element()];
  if (number() >= 8) sum += x[at];
  y[element()] = sum;
}

__global__ void doubles(const float* x, float* y) {
  __shared__ double s[most_threads];
  double sum = 1;
  for (int k = 0; k < 4; ++k) {
    s[number()] = sum / (1.0 + x[element()] * x[element()]);
    __syncthreads();
    sum += s[(number() + k) % threads()] * s[number()];
    __syncthreads();
  }
  y[element()] = static_cast<float>(sum);
}

__global__ void mathematics(const float* x, float* y) {
  const float value = x[element()];
  y[element()] = expf(value) + sqrtf(fabsf(value)) * fmaxf(value, 0.25f) + fmodf(value, 0.3f);
}

__global__ void integers(const float* x, float* y) {
  unsigned value = __float_as_uint(x[element()]);
  for (int i = 0; i < 3; ++i) value = value * 1664525u + 1013904223u;
  value ^= __popc(value) + (value >> (number() % 5)) / (1 + number());
  y[element()] = static_cast<float>(value % 1000u);
}

struct Pair {
  float a, b;
};
__device__ Pair swapped(Pair pair) { return {pair.b, pair.a}; }
__global__ void structures(const float* x, float* y, Pair offset) {
  Pair pair = {x[element()], offset.a};
  for (int i = 0; i < 3; ++i) pair = swapped(pair);
  y[element()] = pair.a - pair.b * offset.b;
}

template <int size>
__global__ void of_a_template(const float* x, float* y) {
  float sum[size] = {};
  for (int i = 0; i < size; ++i) sum[i] = x[element()] + i;
  float product = 1;
  for (int i = 0; i < size; ++i) product *= sum[i];
  y[element()] = product;
}

__global__ void atomic_counts(const float* x, float* y) {
  __shared__ int counts[4];
  if (number() < 4) counts[number()] = 0;
  __syncthreads();
  atomicAdd(&counts[number() % 4], x[element()] > 0 ? 2 : 1);
  __syncthreads();
  y[element()] = static_cast<float>(counts[(number() + 1) % 4]);
}

__global__ void an_atomic_sum(const float* x, float* y) {
  __shared__ float sum;
  if (number() == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[element()]);
  __syncthreads();
  y[element()] = sum;
}

__global__ void two_atomic_sums(const float* x, float* y) {
  __shared__ float sum;
  if (number() == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[element()]);
  atomicAdd(&sum, 0.1f);
  __syncthreads();
  y[element()] = sum;
}

__global__ void a_barrier_for_some(const float* x, float* y) {
  __shared__ float s[most_threads];
  s[number()] = x[element()];
  if (threads() > 0 && number() < threads()) __syncthreads();
  y[element()] = s[threads() - 1 - number()];
}

__global__ void a_counting_barrier(const float* x, float* y) {
  y[element()] = static_cast<float>(__syncthreads_count(x[element()] > 0));
}

__global__ void a_shuffle(const float* x, float* y) {
  y[element()] = x[element()] + __shfl_xor_sync(__activemask(), x[element()], 0);
}

__device__ float power(float base, int exponent) {
  return exponent <= 0 ? 1 : base * power(base, exponent - 1) + power(1, exponent - 2);
}
__global__ void a_recursion(const float* x, float* y, int n) {
  y[element()] = power(x[element()], n % 4);
}

__device__ float doubled(float x) { return 2 * x; }
__device__ float tripled(float x) { return 3 * x; }
__global__ void a_pointer(const float* x, float* y, int n) {
  float (*const functions[])(float) = {doubled, tripled};
  y[element()] = functions[(number() + n) % 2](x[element()]);
}

int main() {
  constexpr int n = 4 * most_threads;
  std::vector<float> host(n);
  unsigned random = 1;
  for (float& value : host) {
    random = random * 1664525u + 1013904223u;
    value = static_cast<float>(random >> 8) / (1 << 23) - 1;
  }
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 grid(2, 2);
  for (const dim3 block : {dim3(16, 16), dim3(8, 8), dim3(22, 5), dim3(1, 37), dim3(70),
                           dim3(5, 3, 4), dim3(24, 2, 3), dim3(1)}) {
    const auto show = [&](const char* name) {
      cudaError_t error = cudaDeviceSynchronize();
      std::vector<float> result(n);
      cudaMemcpy(result.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
      unsigned long long hash = 0;
      for (const float value : result) {
        unsigned bits;
        std::memcpy(&bits, &value, sizeof bits);
        hash = hash * 1000003 + bits;
      }
      std::printf("%s %u %u %u: %016llx %d\n", name, block.x, block.y, block.z, hash, error);
      cudaMemset(y, 0, n * sizeof(float));
    };
#define RUN(kernel, ...)                \
  cudaMemset(y, 0, n * sizeof(float));  \
  kernel<<<grid, block>>>(__VA_ARGS__); \
  show(#kernel)
    RUN(without_barrier, x, y);
    RUN(a_barrier, x, y);
    RUN(barriers_in_a_loop, x, y);
    RUN(loops_in_loops, x, y, 6);
    RUN(a_reduction, x, y);
    RUN(an_early_return, x, y, 21);
    RUN(rows_that_return, x, y);
    RUN(loops_of_different_length, x, y);
    RUN(strides, x, y, n - 3);
    RUN(both_ways, x, y, 3);
    RUN(both_ways, x, y, 4);
    RUN(local_arrays, x, y, 13);
    RUN(odd_local_arrays, x, y, 9);
    RUN(a_halo, x, y);
    RUN(wrapping_indices, x, y);
    RUN(doubles, x, y);
    RUN(mathematics, x, y);
    RUN(integers, x, y);
    const Pair offset = {0.5f, 3};
    RUN(structures, x, y, offset);
    RUN(of_a_template<3>, x, y);
    RUN(of_a_template<5>, x, y);
    RUN(atomic_counts, x, y);
    RUN(an_atomic_sum, x, y);
    RUN(two_atomic_sums, x, y);
    RUN(a_barrier_for_some, x, y);
    RUN(a_counting_barrier, x, y);
    RUN(a_shuffle, x, y);
    RUN(a_recursion, x, y, 7);
    RUN(a_pointer, x, y, 7);
    dynamic_memory<<<grid, block, most_threads * sizeof(float)>>>(x, y);
    show("dynamic_memory");
  }
}
