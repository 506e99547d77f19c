// Blocks of 16 x 16 threads; A stays as it lies, so that it comes 16 bytes at a time, too, and a
// thread reads four of its k at once.

#include "matmul_warp_tiles.hpp"

#include <cuda_pipeline.h>
#include <stdint.h>

#define TILE 128
#define DEPTH 16
#define PITCH (DEPTH + 4)  // of A's tile: rows begin at banks 0, 20, 8, 28, 16, 4, 24, 12

struct Tiles {
  float a[TILE][PITCH];  // (row, k)
  float b[DEPTH][TILE];  // (k, col)
};

__device__ float at(const float* M, int row, int col, int n) {
  return row < n && col < n ? M[(size_t)row * n + col] : 0.f;
}

template <bool VEC>
__device__ float4 quad(const float* M, int row, int col, int n) {
  if (VEC) {
    float4 none = {0.f, 0.f, 0.f, 0.f};
    return row < n && col < n ? *(const float4*)(M + (size_t)row * n + col) : none;
  }
  float4 v;
  v.x = at(M, row, col, n);
  v.y = at(M, row, col + 1, n);
  v.z = at(M, row, col + 2, n);
  v.w = at(M, row, col + 3, n);
  return v;
}

// 512 quads of each tile, two a thread.
template <bool VEC>
__device__ void bring(Tiles& s, const float* A, const float* B, int row0, int col0, int k0, int n,
                      int t) {
  for (int q = t; q < TILE * DEPTH / 4; q += 256) {
    const int ar = q / (DEPTH / 4), ak = q % (DEPTH / 4) * 4;
    const int bk = q / (TILE / 4), bc = q % (TILE / 4) * 4;
    *(float4*)&s.a[ar][ak] = quad<VEC>(A, row0 + ar, k0 + ak, n);
    *(float4*)&s.b[bk][bc] = quad<VEC>(B, k0 + bk, col0 + bc, n);
  }
}

// The same, as copies that need no thread.
template <bool VEC>
__device__ void send(Tiles& s, const float* A, const float* B, int row0, int col0, int k0, int n,
                     int t) {
  const int run = VEC ? 4 : 1;
  for (int q = t; q < TILE * DEPTH / run; q += 256) {
    const int ar = q / (DEPTH / run), ak = q % (DEPTH / run) * run;
    const int bk = q / (TILE / run), bc = q % (TILE / run) * run;
    const bool in_a = row0 + ar < n && k0 + ak < n, in_b = k0 + bk < n && col0 + bc < n;
    const size_t size = run * sizeof(float);
    __pipeline_memcpy_async(&s.a[ar][ak], in_a ? A + (size_t)(row0 + ar) * n + k0 + ak : A, size,
                            in_a ? 0 : size);
    __pipeline_memcpy_async(&s.b[bk][bc], in_b ? B + (size_t)(k0 + bk) * n + col0 + bc : B, size,
                            in_b ? 0 : size);
  }
  __pipeline_commit();
}

// The thread's rows are 16 apart, or 4 within a warp tile; its columns two quads.
__device__ void multiply(float (&c)[8][8], const Tiles& s, int row, int row_step, int col,
                         int col_step) {
#pragma unroll
  for (int k = 0; k < DEPTH; k += 4) {
    float4 a[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = *(const float4*)&s.a[row + i * row_step][k];
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      const float4 b0 = *(const float4*)&s.b[k + kk][col];
      const float4 b1 = *(const float4*)&s.b[k + kk][col + col_step];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float v = kk == 0 ? a[i].x : kk == 1 ? a[i].y : kk == 2 ? a[i].z : a[i].w;
        c[i][0] += v * b0.x;
        c[i][1] += v * b0.y;
        c[i][2] += v * b0.z;
        c[i][3] += v * b0.w;
        c[i][4] += v * b1.x;
        c[i][5] += v * b1.y;
        c[i][6] += v * b1.z;
        c[i][7] += v * b1.w;
      }
    }
  }
}

template <bool VEC>
__device__ void write(float* C, int row, int col, int n, const float* v) {
  if (row >= n) return;
  float* to = C + (size_t)row * n + col;
  if (VEC) {
    if (col < n) *(float4*)to = make_float4(v[0], v[1], v[2], v[3]);
  } else {
    for (int j = 0; j < 4 && col + j < n; ++j) to[j] = v[j];
  }
}

enum Way { one_tile, warp_tiles, asynchronous };

template <int WAY, bool VEC>
__global__ void __launch_bounds__(256, 2) kernel(const float* A, const float* B, float* C, int n) {
  __shared__ __align__(16) Tiles s[WAY == one_tile ? 1 : 2];
  const int t = threadIdx.y * 16 + threadIdx.x, lane = t % 32, warp = t / 32;
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  int row, row_step, col, col_step;
  if (WAY == one_tile) {
    row = threadIdx.y, row_step = 16, col = threadIdx.x * 4, col_step = 64;
  } else {  // 4 x 2 warps of 32 x 64, 4 x 8 lanes
    row = warp / 2 * 32 + lane / 8, row_step = 4, col = warp % 2 * 64 + lane % 8 * 4, col_step = 32;
  }
  float c[8][8] = {};
  if (WAY == one_tile) {
    for (int k0 = 0; k0 < n; k0 += DEPTH) {
      __syncthreads();
      bring<VEC>(s[0], A, B, row0, col0, k0, n, t);
      __syncthreads();
      multiply(c, s[0], row, row_step, col, col_step);
    }
  } else if (WAY == warp_tiles) {
    bring<VEC>(s[0], A, B, row0, col0, 0, n, t);
    for (int k0 = 0, now = 0; k0 < n; k0 += DEPTH, now ^= 1) {
      __syncthreads();
      if (k0 + DEPTH < n) bring<VEC>(s[now ^ 1], A, B, row0, col0, k0 + DEPTH, n, t);
      multiply(c, s[now], row, row_step, col, col_step);
    }
  } else {
    send<VEC>(s[0], A, B, row0, col0, 0, n, t);
    for (int k0 = 0, now = 0; k0 < n; k0 += DEPTH, now ^= 1) {
      __pipeline_wait_prior(0);
      __syncthreads();
      if (k0 + DEPTH < n) send<VEC>(s[now ^ 1], A, B, row0, col0, k0 + DEPTH, n, t);
      multiply(c, s[now], row, row_step, col, col_step);
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    write<VEC>(C, row0 + row + i * row_step, col0 + col, n, &c[i][0]);
    write<VEC>(C, row0 + row + i * row_step, col0 + col + col_step, n, &c[i][4]);
  }
}

template <int WAY>
static cudaError_t run(const float* A, const float* B, float* C, int n) {
  if (n < 0 || (n > 0 && (!A || !B || !C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), block(16, 16);
  const bool aligned = n % 4 == 0 && (((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) & 15) == 0;
  if (aligned) kernel<WAY, true><<<grid, block>>>(A, B, C, n);
  if (!aligned) kernel<WAY, false><<<grid, block>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_vectorized(const float* A, const float* B, float* C, int n) {
  return run<one_tile>(A, B, C, n);
}

cudaError_t matmul_warp_tiles(const float* A, const float* B, float* C, int n) {
  return run<warp_tiles>(A, B, C, n);
}

cudaError_t matmul_async(const float* A, const float* B, float* C, int n) {
  return run<asynchronous>(A, B, C, n);
}
