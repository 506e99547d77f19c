// Structures of 8 floats as fragments, float4{...}, cuda::pipeline, classes as tiles.
#include "matmul_warp_tiles.hpp"
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cstddef>
#include <cstdint>
namespace cg = cooperative_groups;
namespace {
constexpr int S = 128, K = 8, T = 256;
struct Source { const float* p; };
template <bool aligned> __device__ float4 four_of(const float* at, int there) {
  if constexpr (aligned) return there > 0 ? __ldg(reinterpret_cast<const float4*>(at)) : float4{};
  return float4{there > 0 ? at[0] : 0, there > 1 ? at[1] : 0, there > 2 ? at[2] : 0, there > 3 ? at[3] : 0};
}
struct Sink {
  float* p; int n;
  template <bool aligned> __device__ void four(int r, int c, const float* v) const {
    if (r >= n || c >= n) return;
    float* at = p + std::size_t(r) * n + c;
    if constexpr (aligned) *reinterpret_cast<float4*>(at) = float4{v[0], v[1], v[2], v[3]};
    else for (int i = 0; i < 4 && c + i < n; ++i) at[i] = v[i];
  }
};
struct alignas(16) Frag { float v[8]; __device__ float operator[](int i) const { return v[i]; }
  __device__ static Frag of(float4 a, float4 b) { return Frag{{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}}; } };
struct Sums {
  float v[8][8];
  __device__ void add(const Frag& a, const Frag& b) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 8; ++j) v[i][j] = fmaf(a[i], b[j], v[i][j]);
  }
  template <bool aligned> __device__ void store(Sink C, int r0, int rstep, int c0, int cstep) const {
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 8; j += 4) C.four<aligned>(r0 + i / 4 * rstep + i % 4, c0 + j / 4 * cstep, &v[i][j]);
  }
};
struct Tiles {
  alignas(16) float a[K][S + 4];
  alignas(16) float b[K][S];
  __device__ void put(int t, float4 qa, float4 qb) {
    const int r = t / 2, k = t % 2 * 4;
    a[k][r] = qa.x; a[k + 1][r] = qa.y; a[k + 2][r] = qa.z; a[k + 3][r] = qa.w;
    *reinterpret_cast<float4*>(&b[t / 32][t % 32 * 4]) = qb;
  }
  __device__ static Frag two(const float* row, int at, int step) {
    return Frag::of(*reinterpret_cast<const float4*>(row + at), *reinterpret_cast<const float4*>(row + at + step));
  }
};
struct Place { int row, rstep, col, cstep; };
__device__ Place by_block(int t) { return {t / 16 * 4, 64, t % 16 * 4, 64}; }
__device__ Place by_warp(int t) {
  const int w = t / 32, l = t % 32;
  return {w / 2 * 32 + l / 8 * 4, 16, w % 2 * 64 + l % 8 * 4, 32};
}
template <bool aligned, bool warps>
__global__ __launch_bounds__(T, 2) void kernel(Source A, Source B, Sink C) {
  __shared__ Tiles tiles[2];
  const int n = C.n, t = threadIdx.x, r0 = blockIdx.y * S, c0 = blockIdx.x * S;
  const Place at = warps ? by_warp(t) : by_block(t);
  Sums sums = {};
  // Walk on from step to step; `left` elements are there of a row of A, or rows of B.
  const float* pa = A.p + std::size_t(min(r0 + t / 2, n - 1)) * n + t % 2 * 4;
  const float* pb = B.p + std::size_t(t / 32) * n + c0 + t % 32 * 4;
  const int b_there = n - c0 - t % 32 * 4;
  auto fetch_a = [&](int left) { const float4 q = four_of<aligned>(pa, left - t % 2 * 4); pa += K; return q; };
  auto fetch_b = [&](int left) { const float4 q = four_of<aligned>(pb, t / 32 < left ? b_there : 0); pb += std::size_t(K) * n; return q; };
  tiles[0].put(t, fetch_a(n), fetch_b(n));
  __syncthreads();
  Frag fa[2], fb[2];
  auto load = [&](const Tiles& from, int k) {
    fa[k & 1] = Tiles::two(from.a[k], at.row, at.rstep);
    fb[k & 1] = Tiles::two(from.b[k], at.col, at.cstep);
  };
  load(tiles[0], 0);
  int now = 0;
  for (int k0 = 0; k0 < n; k0 += K, now ^= 1) {
    float4 qa, qb;
    const bool more = k0 + K < n;
    if (more) { qa = fetch_a(n - k0 - K); qb = fetch_b(n - k0 - K); }
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (k + 1 < K) load(tiles[now], k + 1);
      else if (more) {
        tiles[now ^ 1].put(t, qa, qb);
        __syncthreads();
        load(tiles[now ^ 1], 0);
      }
      sums.add(fa[k & 1], fb[k & 1]);
    }
  }
  sums.store<aligned>(C, r0 + at.row, at.rstep, c0 + at.col, at.cstep);
}
// Blocks twice as wide, so that a fragment of A meets two of B.
constexpr int stages = 3, W = 2 * S;
struct Wide { alignas(16) float a[K][S + 4]; alignas(16) float b[K][W]; };
template <bool aligned>
__global__ __launch_bounds__(T, 1) void async_kernel(const float* A, const float* B, Sink C) {
  __shared__ Wide tiles[stages];
  const int n = C.n, t = threadIdx.x, r0 = blockIdx.y * S, c0 = blockIdx.x * W;
  auto pipe = cuda::make_pipeline();
  // Elements of A one by one, so that they come to lie along a column; of B four, or one. Rows and
  // columns beyond the edge come from the last one.
  constexpr int run = aligned ? 4 : 1, at_once = T * run / W;
  const int ak = t % K, ar = t / K, bk = t / (W / run), bc = t % (W / run) * run;
  const float* from_a = A + ak;
  const float* from_b = B + std::size_t(bk) * n + min(c0 + bc, n - run);
  std::size_t rows[S / (T / K)];
#pragma unroll
  for (int i = 0; i < S / (T / K); ++i) rows[i] = std::size_t(min(r0 + ar + i * (T / K), n - 1)) * n;
  auto bring = [&](Wide& to, int left) {
    pipe.producer_acquire();
    if (left > 0) {
#pragma unroll
      for (int i = 0; i < S / (T / K); ++i) {
        float* at = &to.a[ak][ar + i * (T / K)];
        if (ak < left) cuda::memcpy_async(at, from_a + rows[i], cuda::aligned_size_t<4>(4), pipe);
        else *at = 0;
      }
#pragma unroll
      for (int k = 0; k < K; k += at_once) {
        float* at = &to.b[bk + k][bc];
        const float* from = from_b + std::size_t(k) * n;
        if (bk + k < left) cuda::memcpy_async(at, from, cuda::aligned_size_t<4 * run>(4 * run), pipe);
        else for (int i = 0; i < run; ++i) at[i] = 0;
      }
      from_a += K;
      from_b += std::size_t(K) * n;
    }
    pipe.producer_commit();
  };
  for (int s = 0; s < stages - 1; ++s) bring(tiles[s], n - s * K);
  const int w = t / 32, l = t % 32, row = w / 2 * 32 + l / 8 * 4, col = w % 2 * 128 + l % 8 * 4;
  Sums sums[2] = {};
  int now = 0, next = stages - 1;
  for (int left = n; left > 0; left -= K) {
    cuda::pipeline_consumer_wait_prior<stages - 2>(pipe);
    __syncthreads();
    bring(tiles[next], left - (stages - 1) * K);
    Frag fa[2], fb[2][2];
    auto load = [&](int k) {
      fa[k & 1] = Tiles::two(tiles[now].a[k], row, 16);
      fb[k & 1][0] = Tiles::two(tiles[now].b[k], col, 32);
      fb[k & 1][1] = Tiles::two(tiles[now].b[k], col + 64, 32);
    };
    load(0);
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (k + 1 < K) load(k + 1);
      sums[0].add(fa[k & 1], fb[k & 1][0]);
      sums[1].add(fa[k & 1], fb[k & 1][1]);
    }
    pipe.consumer_release();
    now = now + 1 == stages ? 0 : now + 1;
    next = next + 1 == stages ? 0 : next + 1;
  }
  sums[0].store<aligned>(C, r0 + row, 16, c0 + col, 32);
  sums[1].store<aligned>(C, r0 + row, 16, c0 + col + 64, 32);
}
cudaError_t check(const float* A, const float* B, const float* C, int n) {
  return n < 0 || (n > 0 && !(A && B && C)) ? cudaErrorInvalidValue : cudaSuccess;
}
bool even(const float* A, const float* B, const float* C, int n) {
  return n % 4 == 0 && ((reinterpret_cast<std::uintptr_t>(A) | reinterpret_cast<std::uintptr_t>(B) | reinterpret_cast<std::uintptr_t>(C)) & 15) == 0;
}
template <bool warps> cudaError_t go(const float* A, const float* B, float* C, int n) {
  if (cudaError_t e = check(A, B, C, n); e != cudaSuccess || n == 0) return e;
  const dim3 grid((n + S - 1) / S, (n + S - 1) / S);
  if (even(A, B, C, n)) kernel<true, warps><<<grid, T>>>(Source{A}, Source{B}, Sink{C, n});
  else kernel<false, warps><<<grid, T>>>(Source{A}, Source{B}, Sink{C, n});
  return cudaGetLastError();
}
}  // namespace
cudaError_t matmul_vectorized(const float* A, const float* B, float* C, int n) { return go<false>(A, B, C, n); }
cudaError_t matmul_warp_tiles(const float* A, const float* B, float* C, int n) { return go<true>(A, B, C, n); }
cudaError_t matmul_async(const float* A, const float* B, float* C, int n) {
  if (cudaError_t e = check(A, B, C, n); e != cudaSuccess || n == 0) return e;
  int device = 0, major = 0;
  if (cudaError_t e = cudaGetDevice(&device)) return e;
  if (cudaError_t e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) return e;
  if (major < 8) return cudaErrorNotSupported;
  const auto chosen = even(A, B, C, n) ? async_kernel<true> : async_kernel<false>;
  chosen<<<dim3((n + W - 1) / W, (n + S - 1) / S), T>>>(A, B, Sink{C, n});
  return cudaGetLastError();
}
