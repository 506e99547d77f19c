#include <cuda_runtime.h>

#include "common/simt/validation/published_kernels.hpp"

namespace tilewise::simt {

namespace {

constexpr float alpha = 0.5f, beta = 3.0f;

/// Where an element of B's tile lies in shared memory.
enum class Layout { rows, padded_rows, column_after_column };

__device__ float4* quad_at(float* first) { return reinterpret_cast<float4*>(first); }
__device__ float4 quad_at(const float* first) { return *reinterpret_cast<const float4*>(first); }

/// The first four of `sum` into C.
__device__ void store_quad(float* C, const float* sum) {
  float4 c = *quad_at(C);
  c.x = alpha * sum[0] + beta * c.x;
  c.y = alpha * sum[1] + beta * c.y;
  c.z = alpha * sum[2] + beta * c.z;
  c.w = alpha * sum[3] + beta * c.w;
  *quad_at(C) = c;
}

/// Lanes of a warp have rows of C below each other.
__global__ void ladder_naive(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.x * 32 + threadIdx.x, col = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = alpha * sum + beta * C[row * n + col];
}

__global__ void ladder_coalesced(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.x * 32 + threadIdx.x / 32, col = blockIdx.y * 32 + threadIdx.x % 32;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = alpha * sum + beta * C[row * n + col];
}

__global__ void ladder_shared(const float* A, const float* B, float* C, int n) {
  __shared__ float As[32 * 32], Bs[32 * 32];  // (row, k), (k, col)
  const int ty = threadIdx.x / 32, tx = threadIdx.x % 32;
  const int row = blockIdx.x * 32 + ty, col = blockIdx.y * 32 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    As[ty * 32 + tx] = A[row * n + k0 + tx];
    Bs[ty * 32 + tx] = B[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += As[ty * 32 + k] * Bs[k * 32 + tx];
    __syncthreads();
  }
  C[row * n + col] = alpha * sum + beta * C[row * n + col];
}

/// 8 results below each other a thread, 64 x 64 a block.
__global__ void ladder_columns(const float* A, const float* B, float* C, int n) {
  constexpr int edge = 64, depth = 8, results = 8;
  __shared__ float As[edge * depth], Bs[depth * edge];  // (row, k), (k, col)
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * edge, col0 = blockIdx.x * edge;
  const int tx = t % edge, ty = t / edge;
  float sum[results] = {};
  for (int k0 = 0; k0 < n; k0 += depth) {
    As[t] = A[(row0 + t / depth) * n + k0 + t % depth];
    Bs[t] = B[(k0 + ty) * n + col0 + tx];
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      const float b = Bs[k * edge + tx];
      for (int i = 0; i < results; ++i) sum[i] += As[(ty * results + i) * depth + k] * b;
    }
    __syncthreads();
  }
  for (int i = 0; i < results; ++i) {
    float* c = C + (row0 + ty * results + i) * n + col0 + tx;
    *c = alpha * sum[i] + beta * *c;
  }
}

constexpr int edge = 128;  ///< of what a block computes, from here on

template <int Depth>
__device__ void load_quads(const float* A, const float* B, int n, int threads, float* As, float* Bs,
                           Layout layout, int row0, int col0, int k0) {
  const int t = threadIdx.x;
  for (int row = t / (Depth / 4); row < edge; row += threads / (Depth / 4)) {
    const int k = t % (Depth / 4) * 4;
    const float4 a = quad_at(A + (row0 + row) * n + k0 + k);
    As[(k + 0) * edge + row] = a.x;
    As[(k + 1) * edge + row] = a.y;
    As[(k + 2) * edge + row] = a.z;
    As[(k + 3) * edge + row] = a.w;
  }
  for (int k = t / (edge / 4); k < Depth; k += threads / (edge / 4)) {
    const int col = t % (edge / 4) * 4;
    const float4 b = quad_at(B + (k0 + k) * n + col0 + col);
    if (layout == Layout::rows) {
      *quad_at(Bs + k * edge + col) = b;
      continue;
    }
    const int step = layout == Layout::padded_rows ? 1 : edge / 8;
    float* first = layout == Layout::padded_rows ? Bs + k * (edge + 5) + col
                                                 : Bs + (k * 8 + col % 8) * (edge / 8) + col / 8;
    first[0] = b.x;
    first[step] = b.y;
    first[2 * step] = b.z;
    first[3 * step] = b.w;
  }
}

/// 8 x 8 neighbouring results a thread. Wide: tiles come in fours, and that of A lies transposed.
template <int Depth, bool Wide, Layout layout>
__global__ void ladder_squares(const float* A, const float* B, float* C, int n) {
  constexpr int threads = 256, results = 8;
  constexpr int row_of_b = layout == Layout::padded_rows ? edge + 5 : edge;
  __shared__ float As[edge * Depth], Bs[Depth * row_of_b];
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * edge, col0 = blockIdx.x * edge;
  const int tx = t % (edge / results), ty = t / (edge / results);
  float sum[results][results] = {};
  for (int k0 = 0; k0 < n; k0 += Depth) {
    if (Wide) {
      load_quads<Depth>(A, B, n, threads, As, Bs, layout, row0, col0, k0);
    } else {
      for (int row = t / Depth; row < edge; row += threads / Depth) {
        As[row * Depth + t % Depth] = A[(row0 + row) * n + k0 + t % Depth];
      }
      for (int k = t / edge; k < Depth; k += threads / edge) {
        Bs[k * edge + t % edge] = B[(k0 + k) * n + col0 + t % edge];
      }
    }
    __syncthreads();
    for (int k = 0; k < Depth; ++k) {
      float a[results], b[results];
      for (int i = 0; i < results; ++i) {
        a[i] = Wide ? As[k * edge + ty * results + i] : As[(ty * results + i) * Depth + k];
      }
      for (int j = 0; j < results; ++j) {
        b[j] = layout == Layout::column_after_column ? Bs[(k * results + j) * (edge / results) + tx]
                                                     : Bs[k * row_of_b + tx * results + j];
      }
      for (int i = 0; i < results; ++i) {
        for (int j = 0; j < results; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < results; ++i) {
    float* c = C + (row0 + ty * results + i) * n + col0 + tx * results;
    for (int j = 0; j < results; j += Wide ? 4 : 1) {
      if (Wide) {
        store_quad(c + j, &sum[i][j]);
      } else {
        c[j] = alpha * sum[i][j] + beta * c[j];
      }
    }
  }
}

/// Four warps with 64 x 64 results each: of a thread 8 rows of four groups of 4.
__global__ void ladder_warps(const float* A, const float* B, float* C, int n) {
  constexpr int depth = 16, threads = 128, of_warp = 64;
  constexpr int rows = 8, groups = 4, cols = 4, group_step = of_warp / groups;
  __shared__ float As[depth * edge], Bs[depth * edge];  // (k, row), (k, col)
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * edge, col0 = blockIdx.x * edge;
  const int row = warp / 2 * of_warp + lane / 4 * rows, col = warp % 2 * of_warp + lane % 4 * cols;
  float sum[rows][groups * cols] = {};
  for (int k0 = 0; k0 < n; k0 += depth) {
    load_quads<depth>(A, B, n, threads, As, Bs, Layout::rows, row0, col0, k0);
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      float a[rows], b[groups * cols];
      for (int i = 0; i < rows; ++i) a[i] = As[k * edge + row + i];
      for (int g = 0; g < groups; ++g) {
        for (int j = 0; j < cols; ++j) b[g * cols + j] = Bs[k * edge + col + g * group_step + j];
      }
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < groups * cols; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }
  for (int g = 0; g < groups; ++g) {
    for (int i = 0; i < rows; ++i) {
      store_quad(C + (row0 + row + i) * n + col0 + col + g * group_step, &sum[i][g * cols]);
    }
  }
}

}  // namespace

bool sgemm_ladder(const float* A, const float* B, float* C, int n, int number) {
  const unsigned few = n / 32, some = n / 64, wide = n / edge;
  switch (number) {
    case 1:
      ladder_naive<<<dim3(few, few), dim3(32, 32)>>>(A, B, C, n);
      return true;
    case 2:
      ladder_coalesced<<<dim3(few, few), 1024>>>(A, B, C, n);
      return true;
    case 3:
      ladder_shared<<<dim3(few, few), 1024>>>(A, B, C, n);
      return true;
    case 4:
      ladder_columns<<<dim3(some, some), 512>>>(A, B, C, n);
      return true;
    case 10:
      ladder_warps<<<dim3(wide, wide), 128>>>(A, B, C, n);
      return true;
    default:
      break;
  }
  if (number < 5 || number > 9) return false;
  constexpr decltype(&ladder_squares<8, false, Layout::rows>) squares[] = {
      ladder_squares<8, false, Layout::rows>, ladder_squares<8, true, Layout::rows>,
      ladder_squares<8, true, Layout::column_after_column>,
      ladder_squares<8, true, Layout::padded_rows>, ladder_squares<16, true, Layout::rows>};
  const auto kernel = squares[number - 5];
  kernel<<<dim3(wide, wide), 256>>>(A, B, C, n);
  return true;
}

}  // namespace tilewise::simt
