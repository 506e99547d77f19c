// Structures of 8 floats as fragments, float4{...}, cuda::pipeline, classes as tiles.
#include "matmul_warp_tiles.hpp"
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cstddef>
#include <cstdint>
namespace cg = cooperative_groups;
namespace {
constexpr int S = 128, K = 8, T = 256;
struct Source {
  const float* p; int n;
  template <bool aligned> __device__ float4 four(int r, int c) const {
    const float* at = p + std::size_t(r) * n + c;
    if constexpr (aligned) return r < n && c < n ? __ldg(reinterpret_cast<const float4*>(at)) : float4{};
    return float4{r < n && c < n ? at[0] : 0, r < n && c + 1 < n ? at[1] : 0, r < n && c + 2 < n ? at[2] : 0, r < n && c + 3 < n ? at[3] : 0};
  }
};
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
  auto fetch_a = [&](int k0) { return A.template four<aligned>(r0 + t / 2, k0 + t % 2 * 4); };
  auto fetch_b = [&](int k0) { return B.template four<aligned>(k0 + t / 32, c0 + t % 32 * 4); };
  tiles[0].put(t, fetch_a(0), fetch_b(0));
  __syncthreads();
  int now = 0;
  for (int k0 = 0; k0 < n; k0 += K, now ^= 1) {
    float4 qa, qb;
    const bool more = k0 + K < n;
    if (more) { qa = fetch_a(k0 + K); qb = fetch_b(k0 + K); }
    Frag fa[2], fb[2];
    fa[0] = Tiles::two(tiles[now].a[0], at.row, at.rstep);
    fb[0] = Tiles::two(tiles[now].b[0], at.col, at.cstep);
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (k + 1 < K) {
        fa[(k + 1) & 1] = Tiles::two(tiles[now].a[k + 1], at.row, at.rstep);
        fb[(k + 1) & 1] = Tiles::two(tiles[now].b[k + 1], at.col, at.cstep);
      }
      sums.add(fa[k & 1], fb[k & 1]);
    }
    if (more) tiles[now ^ 1].put(t, qa, qb);
    __syncthreads();
  }
  sums.store<aligned>(C, r0 + at.row, at.rstep, c0 + at.col, at.cstep);
}
constexpr int stages = 3, DK = 16;
struct Raw { alignas(16) float a[S][DK + 4]; alignas(16) float b[DK][S]; };
template <bool aligned>
__global__ __launch_bounds__(T) void async_kernel(const float* A, const float* B, Sink C) {
  extern __shared__ __align__(16) unsigned char memory[];
  Raw* raw = reinterpret_cast<Raw*>(memory);
  const int n = C.n, t = threadIdx.x, r0 = blockIdx.y * S, c0 = blockIdx.x * S;
  auto pipe = cuda::make_pipeline();
  auto one = [&](float* to, const float* M, int r, int c) {
    constexpr int w = aligned ? 4 : 1;
#pragma unroll
    for (int i = 0; i < 4; i += w) {
      if (r < n && c + i < n) {
        if constexpr (aligned) cuda::memcpy_async(reinterpret_cast<float4*>(to), reinterpret_cast<const float4*>(M + std::size_t(r) * n + c), cuda::aligned_size_t<16>(16), pipe);
        else cuda::memcpy_async(to + i, M + std::size_t(r) * n + c + i, sizeof(float), pipe);
      } else {
        for (int j = 0; j < w; ++j) to[i + j] = 0;
      }
    }
  };
  auto bring = [&](int step) {
    pipe.producer_acquire();
    const int k0 = step * DK;
    if (k0 < n) {
      Raw& tile = raw[step % stages];
      for (int i = t; i < S * DK / 4; i += T) one(&tile.a[i / (DK / 4)][i % (DK / 4) * 4], A, r0 + i / (DK / 4), k0 + i % (DK / 4) * 4);
      for (int i = t; i < DK * S / 4; i += T) one(&tile.b[i / (S / 4)][i % (S / 4) * 4], B, k0 + i / (S / 4), c0 + i % (S / 4) * 4);
    }
    pipe.producer_commit();
  };
  for (int s = 0; s < stages - 1; ++s) bring(s);
  const int w = t / 32, l = t % 32;
  const int row = w / 2 * 32 + l / 8, col = w % 2 * 64 + l % 8 * 4;  // rows row + 4 i
  Sums sums = {};
  const int steps = (n + DK - 1) / DK;
  for (int step = 0; step < steps; ++step) {
    cuda::pipeline_consumer_wait_prior<stages - 2>(pipe);
    __syncthreads();
    bring(step + stages - 1);
    const Raw& tile = raw[step % stages];
#pragma unroll
    for (int k = 0; k < DK; k += 4) {
      float4 a[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) a[i] = *reinterpret_cast<const float4*>(&tile.a[row + 4 * i][k]);
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) {
        const Frag b = Tiles::two(tile.b[k + kk], col, 32);
        Frag f;
#pragma unroll
        for (int i = 0; i < 8; ++i) f.v[i] = kk == 0 ? a[i].x : kk == 1 ? a[i].y : kk == 2 ? a[i].z : a[i].w;
        sums.add(f, b);
      }
    }
    pipe.consumer_release();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; j += 4) C.four<aligned>(r0 + row + 4 * i, c0 + col + j / 4 * 32, &sums.v[i][j]);
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
  if (even(A, B, C, n)) kernel<true, warps><<<grid, T>>>(Source{A, n}, Source{B, n}, Sink{C, n});
  else kernel<false, warps><<<grid, T>>>(Source{A, n}, Source{B, n}, Sink{C, n});
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
  constexpr int bytes = stages * sizeof(Raw);
  if (cudaError_t e = cudaFuncSetAttribute(chosen, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)) return e;
  chosen<<<dim3((n + S - 1) / S, (n + S - 1) / S), T, bytes>>>(A, B, Sink{C, n});
  return cudaGetLastError();
}
