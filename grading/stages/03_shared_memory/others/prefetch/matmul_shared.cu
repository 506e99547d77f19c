// The next pair of tiles travels into registers while the block works on this one. After the last
// one it fetches that one again rather than nothing.

#include "matmul_shared.hpp"

#include <cstddef>

template <int T>
__global__ void multiply(const float* A, const float* B, float* C, int n, int last_step) {
  __shared__ float As[T][T + 1], Bs[T][T + 1];  // (row, k), (k, col)

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  const auto a_at = [&](int step) {
    const int k = step * T + tx;
    return row < n && k < n ? A[std::size_t(row) * n + k] : 0.0f;
  };
  const auto b_at = [&](int step) {
    const int k = step * T + ty;
    return k < n && col < n ? B[std::size_t(k) * n + col] : 0.0f;
  };

  float sum = 0.0f, next_a = a_at(0), next_b = b_at(0);
  for (int step = 0; step <= last_step; ++step) {
    As[ty][tx] = next_a;
    Bs[ty][tx] = next_b;
    __syncthreads();
    const int next = min(step + 1, last_step);
    next_a = a_at(next);
    next_b = b_at(next);
#pragma unroll
    for (int k = 0; k < T; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < n && col < n) C[std::size_t(row) * n + col] = sum;
}

template <int T>
static cudaError_t run(const float* A, const float* B, float* C, int n) {
  const int last_step = (n - 1) / T;
  multiply<T><<<dim3(last_step + 1, last_step + 1), dim3(T, T)>>>(A, B, C, n, last_step);
  return cudaGetLastError();
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0) return cudaErrorInvalidValue;
  if (n > 0 && (!A || !B || !C)) return cudaErrorInvalidValue;
  if (n == 0)
    return tile == 8 || tile == 16 || tile == 22 || tile == 32 ? cudaSuccess
                                                               : cudaErrorInvalidValue;
  switch (tile) {
    case 8:
      return run<8>(A, B, C, n);
    case 16:
      return run<16>(A, B, C, n);
    case 22:
      return run<22>(A, B, C, n);
    case 32:
      return run<32>(A, B, C, n);
  }
  return cudaErrorInvalidValue;
}
