// Plain C but for templates: blocks of (lane, warp), 16 x 8 results a thread, pointers that walk
// through A and B, and rows and columns beyond the edge clamped rather than left out.

#include "matmul_warp_tiles.hpp"

#include <cuda_pipeline.h>
#include <stdint.h>

#define EDGE 128  // of a block's part of C: 2 x 2 warps of 64 x 64
#define DEPTH 8
#define PITCH (EDGE + 4)
#define LANES 32
#define WARPS 4
#define THREADS (LANES * WARPS)

struct tiles {
  float a[DEPTH][PITCH];  // (k, row)
  float b[DEPTH][EDGE];   // (k, col)
};

struct factors {
  float a[16], b[8];
};

// A lane's rows are 4 each of 16, its columns 4 each of 32.
__device__ int lane_row(void) { return threadIdx.y / 2 * 64 + threadIdx.x / 8 * 4; }
__device__ int lane_col(void) { return threadIdx.y % 2 * 64 + threadIdx.x % 8 * 4; }

__device__ void take_four(float* to, const float* from) {
  const float4 v = *(const float4*)from;
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
  to[3] = v.w;
}

__device__ void take(factors* f, const tiles* s, int k) {
#pragma unroll
  for (int i = 0; i < 4; i++) take_four(&f->a[4 * i], &s->a[k][lane_row() + 16 * i]);
#pragma unroll
  for (int i = 0; i < 2; i++) take_four(&f->b[4 * i], &s->b[k][lane_col() + 32 * i]);
}

__device__ void multiply(float (*sum)[8], const factors* f) {
#pragma unroll
  for (int j = 0; j < 8; j++) {
#pragma unroll
    for (int i = 0; i < 16; i++) sum[i][j] = __fmaf_rn(f->a[i], f->b[j], sum[i][j]);
  }
}

template <bool VEC>
__device__ void give_four(float* to, const float* v, int there) {
  if (VEC && there > 0) *(float4*)to = make_float4(v[0], v[1], v[2], v[3]);
  if (!VEC) {
    for (int i = 0; i < 4 && i < there; i++) to[i] = v[i];
  }
}

template <bool VEC>
__device__ void give(float* C, int row0, int col0, int n, const float (*sum)[8]) {
#pragma unroll
  for (int i = 0; i < 16; i++) {
    const int row = row0 + lane_row() + i / 4 * 16 + i % 4;
    const int col = col0 + lane_col();
    if (row >= n) break;
    float* to = C + (size_t)row * n + col;
    give_four<VEC>(to, &sum[i][0], n - col);
    give_four<VEC>(to + 32, &sum[i][4], n - col - 32);
  }
}

// Four of a row, of which `there` exist.
template <bool VEC>
__device__ float4 four(const float* at, int there) {
  float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
  if (VEC) {
    if (there > 0) v = *(const float4*)at;
  } else {
    if (there > 0) v.x = at[0];
    if (there > 1) v.y = at[1];
    if (there > 2) v.z = at[2];
    if (there > 3) v.w = at[3];
  }
  return v;
}

// What a thread brings of A and of B: rows 64 apart of the one, 4 apart of the other.
struct hands {
  const float *a0, *a1, *b;
  int ka, kb, cols;
  float4 of_a[2], of_b[2];
};

__device__ void start(hands* h, const float* A, const float* B, int row0, int col0, int n) {
  const int t = threadIdx.y * LANES + threadIdx.x;
  h->ka = t % 2 * 4;
  h->kb = threadIdx.y;
  h->a0 = A + (size_t)min(row0 + t / 2, n - 1) * n + h->ka;
  h->a1 = A + (size_t)min(row0 + t / 2 + 64, n - 1) * n + h->ka;
  h->b = B + (size_t)h->kb * n + col0 + threadIdx.x * 4;
  h->cols = n - col0 - threadIdx.x * 4;
}

template <bool VEC>
__device__ void fetch(hands* h, int left, int n) {
  h->of_a[0] = four<VEC>(h->a0, left - h->ka);
  h->of_a[1] = four<VEC>(h->a1, left - h->ka);
  h->of_b[0] = four<VEC>(h->b, h->kb < left ? h->cols : 0);
  h->of_b[1] = four<VEC>(h->b + (size_t)WARPS * n, h->kb + WARPS < left ? h->cols : 0);
  h->a0 += DEPTH;
  h->a1 += DEPTH;
  h->b += (size_t)DEPTH * n;
}

__device__ void put(tiles* s, const hands* h) {
  const int row = (threadIdx.y * LANES + threadIdx.x) / 2;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    float* column = &s->a[h->ka][row + 64 * i];
    column[0] = h->of_a[i].x;
    column[PITCH] = h->of_a[i].y;
    column[2 * PITCH] = h->of_a[i].z;
    column[3 * PITCH] = h->of_a[i].w;
    *(float4*)&s->b[h->kb + WARPS * i][threadIdx.x * 4] = h->of_b[i];
  }
}

template <bool VEC>
__global__ void __launch_bounds__(THREADS, 2)
    one_pair(const float* A, const float* B, float* C, int n) {
  __shared__ __align__(16) tiles s;
  const int row0 = blockIdx.x * EDGE, col0 = blockIdx.y * EDGE;
  float sum[16][8] = {};
  hands h;
  start(&h, A, B, row0, col0, n);
  for (int left = n; left > 0; left -= DEPTH) {
    fetch<VEC>(&h, left, n);
    put(&s, &h);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      factors f;
      take(&f, &s, k);
      multiply(sum, &f);
    }
    __syncthreads();
  }
  give<VEC>(C, row0, col0, n, sum);
}

template <bool VEC>
__global__ void __launch_bounds__(THREADS, 2)
    two_pairs(const float* A, const float* B, float* C, int n) {
  __shared__ __align__(16) tiles s[2];
  const int row0 = blockIdx.x * EDGE, col0 = blockIdx.y * EDGE;
  float sum[16][8] = {};
  factors f[2];
  hands h;
  start(&h, A, B, row0, col0, n);
  fetch<VEC>(&h, n, n);
  put(&s[0], &h);
  __syncthreads();
  take(&f[0], &s[0], 0);
  tiles *now = &s[0], *next = &s[1];
  for (int left = n - DEPTH; left > 0; left -= DEPTH) {
    fetch<VEC>(&h, left, n);
#pragma unroll
    for (int k = 0; k < DEPTH - 1; k++) {
      take(&f[(k + 1) % 2], now, k + 1);
      multiply(sum, &f[k % 2]);
    }
    put(next, &h);
    __syncthreads();
    take(&f[0], next, 0);
    multiply(sum, &f[1]);
    tiles* other = now;
    now = next;
    next = other;
  }
#pragma unroll
  for (int k = 0; k < DEPTH; k++) {
    if (k < DEPTH - 1) take(&f[(k + 1) % 2], now, k + 1);
    multiply(sum, &f[k % 2]);
  }
  give<VEC>(C, row0, col0, n, sum);
}

#define PAIRS 4

template <bool VEC>
__global__ void __launch_bounds__(THREADS, 2)
    copied(const float* A, const float* B, float* C, int n) {
  __shared__ __align__(16) tiles s[PAIRS];
  const int t = threadIdx.y * LANES + threadIdx.x;
  const int row0 = blockIdx.x * EDGE, col0 = blockIdx.y * EDGE;
  const int run = VEC ? 4 : 1;               // elements of a copy of B
  const int across = EDGE / run;             // copies in a row of B
  const int down = THREADS / across;         // rows of B at a time
  const int ka = t % DEPTH, ra = t / DEPTH;  // a row of A for each 16 in the tile
  const int kb = t / across, cb = t % across * run;
  const float* a = A + (size_t)row0 * n + ka;
  const float* b = B + (size_t)kb * n + min(col0 + cb, n - run);
  unsigned rows[EDGE / 16];
#pragma unroll
  for (int i = 0; i < EDGE / 16; i++) rows[i] = (unsigned)min(ra + 16 * i, n - 1 - row0) * n;

  const int steps = (n + DEPTH - 1) / DEPTH;
  int begun = 0;  // steps
  const auto begin = [&] {
    if (begun < steps) {
      tiles* to = &s[begun % PAIRS];
      const int left = n - begun * DEPTH;
#pragma unroll
      for (int i = 0; i < EDGE / 16; i++) {
        __pipeline_memcpy_async(&to->a[ka][ra + 16 * i], ka < left ? a + rows[i] : A, 4,
                                ka < left ? 0 : 4);
      }
#pragma unroll
      for (int k = 0; k < DEPTH; k += down) {
        const bool there = kb + k < left;
        __pipeline_memcpy_async(&to->b[kb + k][cb], there ? b + (size_t)k * n : B, 4 * run,
                                there ? 0 : 4 * run);
      }
      a += DEPTH;
      b += (size_t)DEPTH * n;
    }
    begun++;
    __pipeline_commit();
  };
  for (int i = 0; i < PAIRS - 1; i++) begin();

  float sum[16][8] = {};
  for (int step = 0; step < steps; step++) {
    __pipeline_wait_prior(PAIRS - 2);
    __syncthreads();
    begin();
    const tiles* now = &s[step % PAIRS];
    factors f[2];
    take(&f[0], now, 0);
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      if (k < DEPTH - 1) take(&f[(k + 1) % 2], now, k + 1);
      multiply(sum, &f[k % 2]);
    }
  }
  give<VEC>(C, row0, col0, n, sum);
}

typedef void (*kernel)(const float*, const float*, float*, int);

static cudaError_t run(kernel vec, kernel any, const float* A, const float* B, float* C, int n) {
  if (n == 0) return cudaSuccess;
  if (n < 0 || !A || !B || !C) return cudaErrorInvalidValue;
  const unsigned blocks = (n + EDGE - 1) / EDGE;
  const bool even = n % 4 == 0 && (((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) & 15) == 0;
  (even ? vec : any)<<<dim3(blocks, blocks), dim3(LANES, WARPS)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_vectorized(const float* A, const float* B, float* C, int n) {
  return run(one_pair<true>, one_pair<false>, A, B, C, n);
}

cudaError_t matmul_warp_tiles(const float* A, const float* B, float* C, int n) {
  return run(two_pairs<true>, two_pairs<false>, A, B, C, n);
}

cudaError_t matmul_async(const float* A, const float* B, float* C, int n) {
  return run(copied<true>, copied<false>, A, B, C, n);
}
