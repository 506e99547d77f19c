// Two steps ahead rather than one: three pairs of tiles take turns, or two sets of registers. The
// tile of B is kept transposed, its rows one element longer than they need to be. Blocks are one
// long row of threads, and the grid has a block too many where the tile divides n.

#include "matmul_prefetch.hpp"

#include <cstddef>

template <int T>
struct Pair {
  float a[T][T];      // (row, k)
  float b[T][T + 1];  // (col, k)
};

template <int T>
struct Place {
  int x = threadIdx.x % T, y = threadIdx.x / T;
  int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
};

template <int T>
__device__ float2 fetch(const float* A, const float* B, int n, int step) {
  const Place<T> at;
  const int a_col = step * T + at.x, b_row = step * T + at.y;
  float2 elements = {};
  if (at.row < n && a_col < n) elements.x = A[std::size_t(n) * at.row + a_col];
  if (b_row < n && at.col < n) elements.y = B[std::size_t(n) * b_row + at.col];
  return elements;
}

template <int T>
__device__ float product_of(const Pair<T>& pair) {
  const Place<T> at;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < T; ++k) sum += pair.a[at.y][k] * pair.b[at.x][k];
  return sum;
}

template <int T>
__global__ void registers_two_ahead(const float* A, const float* B, float* C, int n) {
  __shared__ Pair<T> pair;
  const Place<T> at;
  const int steps = (n + T - 1) / T;
  float sum = 0;
  float2 soon = fetch<T>(A, B, n, 0), later = fetch<T>(A, B, n, 1);
  for (int step = 0; step < steps; ++step) {
    pair.a[at.y][at.x] = soon.x;
    pair.b[at.x][at.y] = soon.y;
    soon = later;
    __syncthreads();
    later = fetch<T>(A, B, n, step + 2);  // zeros, and no access, beyond the last one
    sum += product_of(pair);
    __syncthreads();
  }
  if (at.row < n && at.col < n) C[std::size_t(n) * at.row + at.col] = sum;
}

template <int T>
__global__ void three_pairs(const float* A, const float* B, float* C, int n) {
  __shared__ Pair<T> pairs[3];
  const Place<T> at;
  const int steps = (n + T - 1) / T;
  const auto fill = [&](int step) {
    const float2 elements = fetch<T>(A, B, n, step);
    pairs[step % 3].a[at.y][at.x] = elements.x;
    pairs[step % 3].b[at.x][at.y] = elements.y;
  };
  float sum = 0;
  fill(0);
  if (steps > 1) fill(1);
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    if (step + 2 < steps) fill(step + 2);  // the pair of the step before, which all are done with
    sum += product_of(pairs[step % 3]);
  }
  if (at.row >= n || at.col >= n) return;
  C[std::size_t(n) * at.row + at.col] = sum;
}

template <int T>
struct Launch {
  static void through_registers(dim3 grid, const float* A, const float* B, float* C, int n) {
    registers_two_ahead<T><<<grid, T * T>>>(A, B, C, n);
  }
  static void through_pairs(dim3 grid, const float* A, const float* B, float* C, int n) {
    three_pairs<T><<<grid, T * T>>>(A, B, C, n);
  }
};

template <typename Function>
static cudaError_t check_and_launch(Function launch, const float* A, const float* B, float* C,
                                    int n, int tile) {
  switch (tile) {
    default:
      return cudaErrorInvalidValue;
    case 8:
    case 16:
    case 32:
      break;
  }
  if (n < 0 || (n && !(A && B && C))) return cudaErrorInvalidValue;
  if (!n) return cudaSuccess;
  launch(dim3(n / tile + 1, n / tile + 1));
  return cudaGetLastError();
}

cudaError_t matmul_prefetch_register(const float* A, const float* B, float* C, int n, int tile) {
  return check_and_launch(
      [=](dim3 grid) {
        if (tile == 8) Launch<8>::through_registers(grid, A, B, C, n);
        if (tile == 16) Launch<16>::through_registers(grid, A, B, C, n);
        if (tile == 32) Launch<32>::through_registers(grid, A, B, C, n);
      },
      A, B, C, n, tile);
}

cudaError_t matmul_prefetch_shared(const float* A, const float* B, float* C, int n, int tile) {
  return check_and_launch(
      [=](dim3 grid) {
        if (tile == 8) Launch<8>::through_pairs(grid, A, B, C, n);
        if (tile == 16) Launch<16>::through_pairs(grid, A, B, C, n);
        if (tile == 32) Launch<32>::through_pairs(grid, A, B, C, n);
      },
      A, B, C, n, tile);
}
