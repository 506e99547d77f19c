// Copies by the functions of cuda_pipeline.h, two tiles in turns, rows padded in place of swizzled,
// copies of 8 or of 2 halves, or none, as n allows. Operands of floats are read by lanes word by
// word. Blocks of 128 x 128 results with 8 warps of 32 x 64.
#include "matmul_tensor.hpp"

#include <cuda_pipeline.h>

#include "tilewise/ptx.hpp"

namespace {

constexpr int side = 128, deep = 32, warp_rows = 32, warp_cols = 64;

// ---- halves ----
// Tiles of A: (row, k), of B: (k, col); 8 halves more in a row.
struct HalfTiles {
  __half a[2][side][deep + 8];
  __half b[2][deep][side + 8];
};

// Copies `run` neighbours of a row at a time, or the halves one by one where rows begin anywhere.
template <int run>
__device__ void fetch_run(__half* to, const __half* from, int there) {
  if constexpr (run == 1) {
    *to = there > 0 ? *from : __half(0.0f);
  } else {
    const std::size_t bytes = run * sizeof(__half);
    __pipeline_memcpy_async(to, from, bytes, there > 0 ? 0 : bytes);
  }
}

template <int run>
__device__ void fetch(HalfTiles& tiles, int which, const __half* A, const __half* B, int row0,
                      int col0, int k0, int n) {
#pragma unroll
  for (int i = threadIdx.x; i < side * deep / run; i += 256) {
    const int row = i / (deep / run), k = i % (deep / run) * run;
    const bool there = row0 + row < n && k0 + k < n;
    fetch_run<run>(&tiles.a[which][row][k], there ? A + std::size_t(row0 + row) * n + k0 + k : A,
                   there);
  }
#pragma unroll
  for (int i = threadIdx.x; i < side * deep / run; i += 256) {
    const int k = i / (side / run), col = i % (side / run) * run;
    const bool there = k0 + k < n && col0 + col < n;
    fetch_run<run>(&tiles.b[which][k][col], there ? B + std::size_t(k0 + k) * n + col0 + col : B,
                   there);
  }
  __pipeline_commit();
}

__device__ void store(float* C, int n, int row, int col, const float (&d)[4], int lane) {
  for (int e = 0; e < 4; ++e) {
    const int r = row + lane / 4 + e / 2 * 8, c = col + lane % 4 * 2 + e % 2;
    if (r < n && c < n) C[std::size_t(r) * n + c] = d[e];
  }
}

// run: so many halves divide n, and the matrices begin at multiples of their size.
template <int run>
__global__ __launch_bounds__(256, 2) void halves(const __half* A, const __half* B, float* C,
                                                 int n) {
  __shared__ __align__(16) HalfTiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * side, col0 = blockIdx.x * side;
  const int row = warp / 2 * warp_rows, col = warp % 2 * warp_cols;
  float d[2][8][4] = {};
  fetch<run>(tiles, 0, A, B, row0, col0, 0, n);
  for (int k0 = 0, which = 0; k0 < n; k0 += deep, which ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k0 + deep < n) fetch<run>(tiles, which ^ 1, A, B, row0, col0, k0 + deep, n);
#pragma unroll
    for (int k = 0; k < deep; k += 16) {
      unsigned a[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        tilewise::ptx::ldmatrix_x4(a[i],
                                   &tiles.a[which][row + 16 * i + lane % 16][k + lane / 16 * 8]);
      }
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        unsigned b[2];
        tilewise::ptx::ldmatrix_x2_trans(b, &tiles.b[which][k + lane % 16][col + 8 * j]);
#pragma unroll
        for (int i = 0; i < 2; ++i) tilewise::ptx::mma_m16n8k16(d[i][j], a[i], b);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) store(C, n, row0 + row + 16 * i, col0 + col + 8 * j, d[i][j], lane);
  }
}

// ---- floats ----
// 8 warps of 64 x 32.
constexpr int float_depth = 32, stages = 3, down = 64, across = 32;

// Rows begin 4 or 8 banks from one another: operands lie in all 32.
struct FloatTiles {
  float a[side][float_depth + 4];
  float b[float_depth][side + 8];
};

// What a thread copies, step by step. Rows of A below the last one, and columns of B behind the
// last ones, are those once more: nobody stores what comes of them.
template <int run>
struct FloatCopies {
  static constexpr int a_across = float_depth / run, b_across = side / run;
  static constexpr int a_rows = 256 / a_across, b_rows = 256 / b_across;  // at a time
  const float *a, *b, *any;
  int a_row, a_k, b_row, b_col, n;
  unsigned offset[side / a_rows];

  __device__ FloatCopies(const float* A, const float* B, int row0, int col0, int n_)
      : any(A), n(n_) {
    const int thread = threadIdx.x;
    a_row = thread / a_across, a_k = thread % a_across * run;
    b_row = thread / b_across, b_col = thread % b_across * run;
    a = A + std::size_t(row0) * n + a_k;
    b = B + std::size_t(b_row) * n + min(col0 + b_col, n - run);
#pragma unroll
    for (int i = 0; i < side / a_rows; ++i) {
      offset[i] = unsigned(min(a_row + i * a_rows, n - 1 - row0)) * n;
    }
  }

  __device__ void fetch(FloatTiles& tiles, int left) {
    constexpr std::size_t bytes = run * sizeof(float);
#pragma unroll
    for (int i = 0; i < side / a_rows; ++i) {
      __pipeline_memcpy_async(&tiles.a[a_row + i * a_rows][a_k], a_k < left ? a + offset[i] : any,
                              bytes, a_k < left ? 0 : bytes);
    }
#pragma unroll
    for (int k = 0; k < float_depth; k += b_rows) {
      const bool there = b_row + k < left;
      __pipeline_memcpy_async(&tiles.b[b_row + k][b_col], there ? b + std::size_t(k) * n : any,
                              bytes, there ? 0 : bytes);
    }
    a += float_depth;
    b += std::size_t(float_depth) * n;
  }
};

// A float rounded to what a tensor core looks at, and the rest.
__device__ void split(float value, unsigned& large, unsigned& small) {
  large = __float_as_uint(value) + 0x1000u & 0xffffe000u;
  small = __float_as_uint(value - __uint_as_float(large));
}

template <int run>
__global__ __launch_bounds__(256) void floats(const float* A, const float* B, float* C, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  FloatTiles* const tiles = reinterpret_cast<FloatTiles*>(memory);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row0 = blockIdx.y * side, col0 = blockIdx.x * side;
  const int row = warp / 4 * down, col = warp % 4 * across;
  float d[4][4][4] = {};
  FloatCopies<run> copies(A, B, row0, col0, n);
  for (int i = 0; i < stages - 1; ++i) {
    if (i * float_depth < n) copies.fetch(tiles[i], n - i * float_depth);
    __pipeline_commit();
  }
  __pipeline_wait_prior(stages - 2);
  __syncthreads();
  int now = 0, last = stages - 1;  // tiles that are multiplied, and those that were before
  float a[2][4][4], b[2][4][2];    // of 8 k, and of the next 8
  const auto load = [&](int k, int to) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      b[to][i / 2][i % 2] = tiles[now].b[k + t + i % 2 * 4][col + 8 * (i / 2) + g];
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      a[to][i / 4][i % 4] = tiles[now].a[row + 16 * (i / 4) + g + i % 2 * 8][k + t + i % 4 / 2 * 4];
    }
  };
  load(0, 0);
  for (int k0 = 0; k0 < n; k0 += float_depth) {
    float product[4][4][4] = {};
#pragma unroll
    for (int k = 0; k < float_depth; k += 8) {
      const int at = k / 8 % 2;
      if (k == 0) {
        const int left = n - k0 - (stages - 1) * float_depth;
        if (left > 0) copies.fetch(tiles[last], left);
        __pipeline_commit();
      }
      if (k + 8 < float_depth) {
        load(k + 8, 1 - at);
      } else {  // everyone has read the last of these tiles, and the next ones are there
        __pipeline_wait_prior(stages - 2);
        __syncthreads();
        last = now;
        now = now + 1 == stages ? 0 : now + 1;
        if (k0 + float_depth < n) load(0, 1 - at);
      }
      unsigned large_a[4][4], small_a[4][4], large_b[4][2], small_b[4][2];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        split(b[at][i / 2][i % 2], large_b[i / 2][i % 2], small_b[i / 2][i % 2]);
      }
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        split(a[at][i / 4][i % 4], large_a[i / 4][i % 4], small_a[i / 4][i % 4]);
      }
#pragma unroll
      for (int way = 0; way < 3; ++way) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          tilewise::ptx::mma_m16n8k8_tf32(product[i / 4][i % 4],
                                          way == 0 ? small_a[i / 4] : large_a[i / 4],
                                          way == 1 ? small_b[i % 4] : large_b[i % 4]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 64; ++i) d[i / 16][i / 4 % 4][i % 4] += product[i / 16][i / 4 % 4][i % 4];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) store(C, n, row0 + row + 16 * i, col0 + col + 8 * j, d[i][j], lane);
  }
}

template <class Kernel, class T>
cudaError_t run(Kernel kernel, const T* A, const T* B, float* C, int n, int bytes = 0) {
  if (n < 0 || (n > 0 && !(A && B && C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + side - 1) / side;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  kernel<<<dim3(blocks, blocks), 256, bytes>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t run_halves(const __half* A, const __half* B, float* C, int n) {
  const auto bits = reinterpret_cast<std::size_t>(A) | reinterpret_cast<std::size_t>(B);
  if (n % 8 == 0 && bits % 16 == 0) return run(halves<8>, A, B, C, n);
  if (n % 2 == 0 && bits % 4 == 0) return run(halves<2>, A, B, C, n);
  return run(halves<1>, A, B, C, n);
}

}  // namespace

cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n) {
  return run_halves(A, B, C, n);
}

cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n) {
  return run_halves(A, B, C, n);
}

cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n) {
  const auto bits = reinterpret_cast<std::size_t>(A) | reinterpret_cast<std::size_t>(B);
  const bool in_fours = n % 4 == 0 && bits % 16 == 0;
  return run(in_fours ? floats<4> : floats<1>, A, B, C, n, stages * sizeof(FloatTiles));
}
