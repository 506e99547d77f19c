// As Harris has it: a block for each part of x and a launch for each level; rows kept in dynamic
// shared memory, as long as they fit.

#include "reduction.hpp"

#include <math_constants.h>

#include <algorithm>
#include <cstddef>

#define CHECK(call) \
  if (const cudaError_t status = (call)) return status

constexpr int T = 128;

// 8 elements a thread while loading, then a tree that ends in one warp.
template <bool shuffles>
__global__ void level(float* sums, const float* __restrict__ x, long long n) {
  __shared__ float s[T];
  const int t = threadIdx.x;
  const long long first = (long long)blockIdx.x * T * 8 + t;
  float own = 0.f;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    if (first + k * T < n) own += __ldg(x + first + k * T);
  }
  if (!shuffles) {
    s[t] = own;
    __syncthreads();
    for (int d = T / 2; d >= 32; d >>= 1) {
      if (t < d) s[t] = own = own + s[t + d];
      __syncthreads();
    }
    if (t < 32) {
      for (int d = 16; d > 0; d >>= 1) {
        const float other = s[t + d];
        __syncwarp();
        s[t] = own = own + other;
        __syncwarp();
      }
    }
  } else {
    for (int d = 16; d > 0; d >>= 1) own += __shfl_down_sync(0xffffffffu, own, d);
    if (t % 32 == 0) s[t / 32] = own;
    __syncthreads();
    if (t == 0) own = (s[0] + s[1]) + (s[2] + s[3]);
  }
  if (t == 0) sums[blockIdx.x] = own;
}

constexpr int most = 1 << 21;  // sums of the longest x
__device__ float levels[2][most];

template <bool shuffles>
static cudaError_t sum(float* result, const float* x, int n) {
  if (n < 0) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (x == nullptr || result == nullptr) return cudaErrorInvalidValue;
  float* scratch = nullptr;
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&scratch), levels));
  const float* from = x;
  long long left = n;
  for (int turn = 0;; turn ^= 1) {
    const long long blocks = (left + T * 8 - 1) / (T * 8);
    float* to = blocks == 1 ? result : scratch + turn * most;
    level<shuffles><<<(unsigned)blocks, T>>>(to, from, left);
    CHECK(cudaGetLastError());
    if (blocks == 1) return cudaSuccess;
    from = to;
    left = blocks;
  }
}

cudaError_t sum_shared(float* s, const float* x, int n) { return sum<false>(s, x, n); }
cudaError_t sum_shuffle(float* s, const float* x, int n) { return sum<true>(s, x, n); }

__global__ void all_in_one(float* sum, const float4* x4, const float* x, int n) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0.f;
  __syncthreads();
  float4 own = make_float4(0, 0, 0, 0);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
    const float4 v = x4[i];
    own.x += v.x, own.y += v.y, own.z += v.z, own.w += v.w;
  }
  float mine = own.x + own.y + own.z + own.w;
  if (blockIdx.x == 0 && threadIdx.x < n % 4) mine += x[n / 4 * 4 + threadIdx.x];
  for (int d = 1; d < 32; d *= 2) mine += __shfl_xor_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, total);
}

cudaError_t sum_atomic(float* s, const float* x, int n) {
  if (n < 0) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (x == nullptr || s == nullptr) return cudaErrorInvalidValue;
  CHECK(cudaMemsetAsync(s, 0, sizeof(float)));
  all_in_one<<<std::min(2112, n / (4 * T) + 1), T>>>(s, reinterpret_cast<const float4*>(x), x, n);
  return cudaGetLastError();
}

// A block of 32 x 4: a row of threads for each of 4 rows, which share the element of x.
__global__ void rows_by_four(int m, int n, float alpha, const float* A, int lda, const float* x,
                             float beta, float* y) {
  __shared__ double sums[4][4];  // (row, warp)
  const int lane = threadIdx.x, w = threadIdx.y, row0 = blockIdx.x * 4;
  double own[4] = {0, 0, 0, 0};
  for (int col = w * 32 + lane; col < n; col += 128) {
    const float xs = x[col];
    for (int r = 0; r < 4; r++) {
      if (row0 + r < m) own[r] += (double)A[(size_t)(row0 + r) * lda + col] * xs;
    }
  }
  for (int r = 0; r < 4; r++) {
    for (int d = 16; d > 0; d /= 2) own[r] += __shfl_down_sync(0xffffffffu, own[r], d);
    if (lane == 0) sums[r][w] = own[r];
  }
  __syncthreads();
  const int r = w;
  if (lane == 0 && row0 + r < m) {
    const double all = sums[r][0] + sums[r][1] + sums[r][2] + sums[r][3];
    const float old = beta == 0.f ? 0.f : beta * y[row0 + r];
    y[row0 + r] = (float)(alpha * all) + old;
  }
}

__global__ void times(int m, float beta, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += blockDim.x * gridDim.x) {
    y[i] *= beta;
  }
}

cudaError_t gemv(int m, int n, float alpha, const float* A, int lda, const float* x, float beta,
                 float* y) {
  if (m < 0 || n < 0 || lda < std::max(1, n)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (y == nullptr) return cudaErrorInvalidValue;
  if (alpha == 0.f) {
    if (beta == 0.f) return cudaMemsetAsync(y, 0, sizeof(float) * m);
    if (beta != 1.f) times<<<64, 256>>>(m, beta, y);
    return cudaGetLastError();
  }
  if (A == nullptr || x == nullptr) return cudaErrorInvalidValue;
  rows_by_four<<<(m + 3) / 4, dim3(32, 4)>>>(m, n, alpha, A, lda, x, beta, y);
  return cudaGetLastError();
}

// The largest or the sum of a block's numbers, for all of its threads.
template <bool largest>
__device__ float over_block(float own, float* of_warp) {
  for (int d = 16; d > 0; d /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, own, d);
    own = largest ? fmaxf(own, other) : own + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = own;
  __syncthreads();
  own = of_warp[0];
  for (int w = 1; w < T / 32; w++) own = largest ? fmaxf(own, of_warp[w]) : own + of_warp[w];
  return own;
}

// A block a row, which it keeps where there is room, and loads again where there is none.
template <bool kept>
__global__ void softmax_row(float* out, const float* in, int cols) {
  extern __shared__ float row[];
  __shared__ float of_warp[T / 32];
  const float* const x = in + (size_t)blockIdx.x * cols;
  float m = -CUDART_INF_F, s = 0.f;
  for (int c = threadIdx.x; c < cols; c += T) {
    const float v = x[c];
    if (kept) row[c] = v;
    const float larger = fmaxf(m, v);
    if (larger == -CUDART_INF_F) continue;  // nothing but -inf so far
    s = s * expf(m - larger) + expf(v - larger);
    m = larger;
  }
  const float all = over_block<true>(m, of_warp);
  s = over_block<false>(m == -CUDART_INF_F ? 0.f : s * expf(m - all), of_warp);
  for (int c = threadIdx.x; c < cols; c += T) {
    const float v = kept ? row[c] : x[c];
    out[(size_t)blockIdx.x * cols + c] = expf(v - all) / s;
  }
}

cudaError_t softmax_rows(float* out, const float* in, int rows, int cols) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (out == nullptr || in == nullptr) return cudaErrorInvalidValue;
  const size_t bytes = sizeof(float) * cols;
  if (bytes <= 40 * 1024) {
    softmax_row<true><<<rows, T, bytes>>>(out, in, cols);
  } else {
    softmax_row<false><<<rows, T>>>(out, in, cols);
  }
  return cudaGetLastError();
}
