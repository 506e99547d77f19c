// Few lines: one kernel walks over x however its sums are brought together, and whoever has a sum
// adds it atomically. Rows have blocks of two dimensions; exponentials are powers of two.

#include "reduction.hpp"

#include <cstddef>

enum class Way { shared, shuffle, atomic };

template <Way way>
__global__ void sum_kernel(float* sum, const float* x, unsigned n) {
  constexpr unsigned threads = 512;
  float a = 0, b = 0;
  const unsigned stride = threads * gridDim.x;
  unsigned i = blockIdx.x * threads + threadIdx.x;
  for (; i + stride < n && i + stride > i; i += 2 * stride) {
    a += x[i];
    b += x[i + stride];
  }
  if (i < n) a += x[i];
  a += b;
  if (way == Way::shared) {
    __shared__ float rows[16][33];
    rows[threadIdx.x / 32][threadIdx.x % 32] = a;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    for (int r = 1; r < 16; ++r) a += rows[r][threadIdx.x];
    rows[0][threadIdx.x] = a;
    __syncwarp();
    if (threadIdx.x > 0) return;
    for (int c = 1; c < 32; ++c) a += rows[0][c];
    atomicAdd(sum, a);
  } else {
    a += __shfl_down_sync(0xffffffff, a, 16);
    a += __shfl_down_sync(0xffffffff, a, 8);
    a += __shfl_down_sync(0xffffffff, a, 4);
    a += __shfl_down_sync(0xffffffff, a, 2);
    a += __shfl_down_sync(0xffffffff, a, 1);
    if ((threadIdx.x & 31) == 0) atomicAdd(sum, a);
  }
}

template <Way way>
cudaError_t sum_of(float* sum, const float* x, int n) {
  if (n < 0) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!sum || !x) return cudaErrorInvalidValue;
  if (cudaError_t e = cudaMemset(sum, 0, 4); e != cudaSuccess) return e;
  const unsigned blocks = (n + 1023u) / 1024;
  sum_kernel<way><<<blocks < 1056 ? blocks : 1056, 512>>>(sum, x, n);
  return cudaGetLastError();
}

cudaError_t sum_shared(float* sum, const float* x, int n) { return sum_of<Way::shared>(sum, x, n); }
cudaError_t sum_shuffle(float* sum, const float* x, int n) {
  return sum_of<Way::shuffle>(sum, x, n);
}
cudaError_t sum_atomic(float* sum, const float* x, int n) { return sum_of<Way::atomic>(sum, x, n); }

// y first, then a sum of products for each row and each part of its columns.
__global__ void begin(int m, float beta, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) y[i] = beta == 0 ? 0 : y[i] * beta;
}

__global__ void add_products(int m, int n, float alpha, const float* A, std::size_t lda,
                             const float* x, float* y) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const int col0 = blockIdx.y * 1024;
  if (row >= m) return;
  float s = 0;
  for (int col = col0 + threadIdx.x; col < n && col < col0 + 1024; col += 32) {
    s = fmaf(A[row * lda + col], x[col], s);
  }
  for (int d = 16; d >= 1; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d);
  if (threadIdx.x == 0) atomicAdd(&y[row], alpha * s);
}

cudaError_t gemv(int m, int n, float alpha, const float* A, int lda, const float* x, float beta,
                 float* y) {
  if (m < 0 || n < 0 || lda < 1 || lda < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (!y || (alpha != 0 && (!A || !x))) return cudaErrorInvalidValue;
  begin<<<(m + 255) / 256, 256>>>(m, beta, y);
  if (alpha != 0) {
    add_products<<<dim3((m + 7) / 8, (n + 1023) / 1024), dim3(32, 8)>>>(m, n, alpha, A, lda, x, y);
  }
  return cudaGetLastError();
}

constexpr float log2_e = 1.44269504f;

// A warp a row; a lane keeps the exponents of its part up to 1024 columns.
__global__ void softmax_kernel(float* __restrict__ out, const float* __restrict__ in, int rows,
                               int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* r = in + std::size_t(row) * cols;
  float* o = out + std::size_t(row) * cols;
  float m = -3.402823466e38f, s = 0;
  if (cols <= 1024) {
    float v[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const int c = k * 32 + threadIdx.x;
      v[k] = c < cols ? r[c] : -1.0f / 0.0f;
      m = fmaxf(m, v[k]);
    }
    for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      v[k] = exp2f((v[k] - m) * log2_e);
      s += v[k];
    }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    const float q = 1 / s;
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const int c = k * 32 + threadIdx.x;
      if (c < cols) o[c] = v[k] * q;
    }
    return;
  }
  for (int c = threadIdx.x; c < cols; c += 32) {
    const float v = r[c], higher = fmaxf(m, v);
    s = s * __expf(m - higher) + __expf(v - higher);
    m = higher;
  }
  for (int d = 16; d; d >>= 1) {
    const float m2 = __shfl_xor_sync(~0u, m, d), s2 = __shfl_xor_sync(~0u, s, d);
    const float higher = fmaxf(m, m2);
    s = s * __expf(m - higher) + s2 * __expf(m2 - higher);
    m = higher;
  }
  for (int c = threadIdx.x; c < cols; c += 32) o[c] = __fdividef(__expf(r[c] - m), s);
}

cudaError_t softmax_rows(float* out, const float* in, int rows, int cols) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!out || !in) return cudaErrorInvalidValue;
  softmax_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(out, in, rows, cols);
  return cudaGetLastError();
}
