// Copies by the functions of cuda_pipeline.h, two tiles in turns, rows padded in place of swizzled,
// and operands of mma.sync read by lanes word by word, B from a transposed tile where its rows are
// too short for copies of 4 bytes. Blocks of 128 x 128 results with 8 warps of 32 x 64.
#include "matmul_tensor.hpp"

#include <cuda_pipeline.h>
#include <mma.h>

#include "tilewise/ptx.hpp"

namespace {

constexpr int side = 128, deep = 32, warp_rows = 32, warp_cols = 64;

// ---- halves ----
// Tiles of A: (row, k), of B: (k, col); 8 halves more in a row.
struct HalfTiles {
  __half a[2][side][deep + 8];
  __half b[2][deep][side + 8];
};

__device__ void fetch(HalfTiles& tiles, int which, const __half* A, const __half* B, int row0,
                      int col0, int k0, int n) {
  const bool by_fours = n % 2 == 0;  // then each pair of halves lies at a multiple of 4 bytes
  for (int i = threadIdx.x; i < side * deep / 2; i += blockDim.x) {
    const int row = i / (deep / 2), k = i % (deep / 2) * 2;
    __half* const to = &tiles.a[which][row][k];
    const __half* const from = A + std::size_t(row0 + row) * n + k0 + k;
    const int there = row0 + row < n ? n - k0 - k : 0;
    if (by_fours && there >= 2) {
      __pipeline_memcpy_async(to, from, 4);
    } else {
      for (int e = 0; e < 2; ++e) to[e] = e < there ? from[e] : __half(0.0f);
    }
  }
  for (int i = threadIdx.x; i < side * deep / 2; i += blockDim.x) {
    const int k = i / (side / 2), col = i % (side / 2) * 2;
    __half* const to = &tiles.b[which][k][col];
    const __half* const from = B + std::size_t(k0 + k) * n + col0 + col;
    const int there = k0 + k < n ? n - col0 - col : 0;
    if (by_fours && there >= 2) {
      __pipeline_memcpy_async(to, from, 4);
    } else {
      for (int e = 0; e < 2; ++e) to[e] = e < there ? from[e] : __half(0.0f);
    }
  }
  __pipeline_commit();
}

__device__ void store(float* C, int n, int row, int col, const float (&d)[4], int lane) {
  for (int e = 0; e < 4; ++e) {
    const int r = row + lane / 4 + e / 2 * 8, c = col + lane % 4 * 2 + e % 2;
    if (r < n && c < n) C[std::size_t(r) * n + c] = d[e];
  }
}

__global__ __launch_bounds__(256) void halves(const __half* A, const __half* B, float* C, int n) {
  __shared__ __align__(16) HalfTiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * side, col0 = blockIdx.x * side;
  const int row = warp / 2 * warp_rows, col = warp % 2 * warp_cols;
  float d[2][8][4] = {};
  fetch(tiles, 0, A, B, row0, col0, 0, n);
  for (int k0 = 0, which = 0; k0 < n; k0 += deep, which ^= 1) {
    const bool more = k0 + deep < n;
    if (more) fetch(tiles, which ^ 1, A, B, row0, col0, k0 + deep, n);
    __pipeline_wait_prior(more ? 1 : 0);
    __syncthreads();
    for (int k = 0; k < deep; k += 16) {
      unsigned a[2][4];
      for (int i = 0; i < 2; ++i) {
        tilewise::ptx::ldmatrix_x4(a[i],
                                   &tiles.a[which][row + 16 * i + lane % 16][k + lane / 16 * 8]);
      }
      for (int j = 0; j < 8; ++j) {
        unsigned b[2];
        tilewise::ptx::ldmatrix_x2_trans(b, &tiles.b[which][k + lane % 16][col + 8 * j]);
        for (int i = 0; i < 2; ++i) tilewise::ptx::mma_m16n8k16(d[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 8; ++j) store(C, n, row0 + row + 16 * i, col0 + col + 8 * j, d[i][j], lane);
  }
}

// ---- floats ----
struct FloatTiles {
  float a[2][side][16 + 4];
  float b[2][16][side + 8];
};

__device__ void fetch(FloatTiles& tiles, int which, const float* A, const float* B, int row0,
                      int col0, int k0, int n) {
  for (int i = threadIdx.x; i < side * 16; i += blockDim.x) {
    const int row = i / 16, k = i % 16;
    float* const to = &tiles.a[which][row][k];
    if (row0 + row < n && k0 + k < n) {
      __pipeline_memcpy_async(to, A + std::size_t(row0 + row) * n + k0 + k, 4);
    } else {
      *to = 0;
    }
  }
  for (int i = threadIdx.x; i < side * 16; i += blockDim.x) {
    const int k = i / side, col = i % side;
    float* const to = &tiles.b[which][k][col];
    if (k0 + k < n && col0 + col < n) {
      __pipeline_memcpy_async(to, B + std::size_t(k0 + k) * n + col0 + col, 4);
    } else {
      *to = 0;
    }
  }
  __pipeline_commit();
}

struct Parts {
  unsigned large, small;
};

__device__ Parts parts_of(float value) {
  const unsigned large = tilewise::ptx::to_tf32(value);
  return {large, tilewise::ptx::to_tf32(value - __uint_as_float(large))};
}

__global__ __launch_bounds__(256) void floats(const float* A, const float* B, float* C, int n) {
  __shared__ __align__(16) FloatTiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row0 = blockIdx.y * side, col0 = blockIdx.x * side;
  const int row = warp / 2 * warp_rows, col = warp % 2 * warp_cols;
  float d[2][8][4] = {};
  fetch(tiles, 0, A, B, row0, col0, 0, n);
  for (int k0 = 0, which = 0; k0 < n; k0 += 16, which ^= 1) {
    const bool more = k0 + 16 < n;
    if (more) fetch(tiles, which ^ 1, A, B, row0, col0, k0 + 16, n);
    __pipeline_wait_prior(more ? 1 : 0);
    __syncthreads();
    for (int k = 0; k < 16; k += 8) {
      unsigned large[2][4], small[2][4];
      for (int i = 0; i < 2; ++i) {
        for (int e = 0; e < 4; ++e) {
          const Parts parts =
              parts_of(tiles.a[which][row + 16 * i + g + e % 2 * 8][k + t + e / 2 * 4]);
          large[i][e] = parts.large;
          small[i][e] = parts.small;
        }
      }
      for (int j = 0; j < 8; ++j) {
        const Parts first = parts_of(tiles.b[which][k + t][col + 8 * j + g]);
        const Parts second = parts_of(tiles.b[which][k + t + 4][col + 8 * j + g]);
        const unsigned large_b[2] = {first.large, second.large};
        const unsigned small_b[2] = {first.small, second.small};
        for (int i = 0; i < 2; ++i) {
          float product[4] = {};
          tilewise::ptx::mma_m16n8k8_tf32(product, large[i], small_b);
          tilewise::ptx::mma_m16n8k8_tf32(product, small[i], large_b);
          tilewise::ptx::mma_m16n8k8_tf32(product, large[i], large_b);
          for (int e = 0; e < 4; ++e) d[i][j][e] += product[e];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 8; ++j) store(C, n, row0 + row + 16 * i, col0 + col + 8 * j, d[i][j], lane);
  }
}

template <class Kernel, class T>
cudaError_t run(Kernel kernel, const T* A, const T* B, float* C, int n) {
  if (n < 0 || (n > 0 && !(A && B && C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + side - 1) / side;
  kernel<<<dim3(blocks, blocks), 256>>>(A, B, C, n);
  return cudaGetLastError();
}

}  // namespace

cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n) {
  return run(halves, A, B, C, n);
}

cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n) {
  return run(halves, A, B, C, n);
}

cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n) {
  return run(floats, A, B, C, n);
}
