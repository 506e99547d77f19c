// Kahan, last-block pattern, cg::reduce, constants by table, lambdas, cudaMallocAsync.
#include "reduction.hpp"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cfloat>
#include <cstdint>
namespace cg = cooperative_groups;
namespace {
constexpr unsigned threads = 256;
__device__ unsigned arrived = 0;
__device__ float partial[1024];

struct Kahan {
  float sum = 0, lost = 0;
  __device__ Kahan& operator+=(float v) {
    const float y = v - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
    return *this;
  }
};
struct Max { __device__ float operator()(float a, float b) const { return a > b ? a : b; } };
struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };

template <class F>
__device__ float walk(const float* __restrict__ x, int n, F add) {
  Kahan k;
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  if (reinterpret_cast<std::uintptr_t>(x) % 16 == 0) {
    const float4* x4 = reinterpret_cast<const float4*>(x);
    for (unsigned i = first; i < unsigned(n) / 4; i += step) {
      const float4 v = __ldg(x4 + i);
      k += (v.x + v.y) + (v.z + v.w);
    }
    if (first < unsigned(n) % 4) k += x[n / 4 * 4 + first];
  } else {
    for (unsigned i = first; i < unsigned(n); i += step) k += x[i];
  }
  return add(k.sum);
}
template <class Op>
__device__ float tree(float v, float* s, Op op) {
  s[threadIdx.x] = v;
  __syncthreads();
#pragma unroll
  for (unsigned half = threads / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + half]);
    __syncthreads();
  }
  return s[0];
}
__global__ void first_sums(float* out, const float* x, int n) {
  __shared__ float s[threads];
  const float v = tree(walk(x, n, [](float v) { return v; }), s, Plus());
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
// last block pattern
__global__ void last_block(float* sum, const float* x, int n) {
  __shared__ float warps[threads / 32];
  __shared__ bool last;
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  auto all = [&](float v) {
    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0) warps[warp.meta_group_rank()] = v;
    block.sync();
    v = warp.thread_rank() < warp.meta_group_size() ? warps[warp.thread_rank()] : 0.0f;
    return cg::reduce(warp, v, cg::plus<float>());
  };
  const float v = all(walk(x, n, [](float v) { return v; }));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  block.sync();
  if (!last) return;
  __threadfence();
  float t = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += threads) t += *const_cast<volatile float*>(&partial[i]);
  block.sync();
  t = all(t);
  if (threadIdx.x == 0) *sum = t;
}
__global__ void atomic_sum(float* sum, const float* x, int n) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const float v = cg::reduce(warp, walk(x, n, [](float v) { return v; }), cg::plus<float>());
  if (warp.thread_rank() == 0) atomicAdd(&total, v);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, total);
}
struct Gemv { int m, n; float alpha, beta; int lda; };
__global__ void __launch_bounds__(256) gemv_kernel(Gemv g, const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); row < g.m; row += gridDim.x * warp.meta_group_size()) {
    float v = 0;
    if (g.alpha != 0) {
      const float* a = A + std::size_t(row) * g.lda;
      for (int c = warp.thread_rank(); c < g.n; c += 32) v = fmaf(__ldg(a + c), __ldg(x + c), v);
      v = cg::reduce(warp, v, cg::plus<float>());
    }
    cg::invoke_one(warp, [&] { y[row] = g.beta == 0 ? g.alpha * v : fmaf(g.beta, y[row], g.alpha * v); });
  }
}
__global__ void __launch_bounds__(threads) softmax(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
  __shared__ float s[threads];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const float* a = in + std::size_t(r) * cols;
    float top = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < cols; c += threads) {
      const float v = a[c];
      if (v > top) { sum = sum * __expf(top - v) + 1; top = v; }
      else if (v != -INFINITY) sum += __expf(v - top);
    }
    const float most = tree(top, s, Max());
    __syncthreads();
    sum = top == -INFINITY ? 0 : sum * __expf(top - most);
    const float all = tree(sum, s, Plus());
    __syncthreads();
    const float scale = 1 / all;
    for (int c = threadIdx.x; c < cols; c += threads) out[std::size_t(r) * cols + c] = __expf(a[c] - most) * scale;
  }
}
unsigned blocks_for(int n) { unsigned b = (unsigned(n) + threads * 16 - 1) / (threads * 16); return b > 512 ? 512 : b; }
template <class... T> bool any_null(T*... p) { return (... || (p == nullptr)); }
}  // namespace
// Else the pool gives its memory back whenever the device is waited for, and gets it anew in each call.
static cudaError_t keep_freed_memory() {
  int device = 0;
  cudaMemPool_t pool;
  std::uint64_t all = UINT64_MAX;
  if (cudaError_t e = cudaGetDevice(&device)) return e;
  if (cudaError_t e = cudaDeviceGetDefaultMemPool(&pool, device)) return e;
  return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
}
cudaError_t sum_shared(float* sum, const float* x, int n) {
  if (n < 0 || (n && any_null(sum, x))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned b = blocks_for(n);
  if (b == 1) { first_sums<<<1, threads>>>(sum, x, n); return cudaGetLastError(); }
  float* scratch = nullptr;
  if (cudaError_t e = keep_freed_memory()) return e;
  if (cudaError_t e = cudaMallocAsync(&scratch, b * sizeof(float), 0)) return e;
  first_sums<<<b, threads>>>(scratch, x, n);
  first_sums<<<1, threads>>>(sum, scratch, b);
  cudaFreeAsync(scratch, 0);
  return cudaGetLastError();
}
cudaError_t sum_shuffle(float* sum, const float* x, int n) {
  if (n < 0 || (n && any_null(sum, x))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  last_block<<<blocks_for(n), threads>>>(sum, x, n);
  return cudaGetLastError();
}
cudaError_t sum_atomic(float* sum, const float* x, int n) {
  if (n < 0 || (n && any_null(sum, x))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (cudaError_t e = cudaMemsetAsync(sum, 0, sizeof *sum)) return e;
  atomic_sum<<<blocks_for(n), threads>>>(sum, x, n);
  return cudaGetLastError();
}
cudaError_t gemv(int m, int n, float alpha, const float* A, int lda, const float* x, float beta, float* y) {
  if (m < 0 || n < 0 || lda < n || lda < 1) return cudaErrorInvalidValue;
  if (!m || !n) return cudaSuccess;
  if (!y || (alpha != 0 && any_null(A, x))) return cudaErrorInvalidValue;
  gemv_kernel<<<(m + 7) / 8, 256>>>(Gemv{m, n, alpha, beta, lda}, A, x, y);
  return cudaGetLastError();
}
cudaError_t softmax_rows(float* out, const float* in, int rows, int cols) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  if (!rows || !cols) return cudaSuccess;
  if (any_null(out, in)) return cudaErrorInvalidValue;
  softmax<<<rows < 65535 ? rows : 65535, threads>>>(out, in, rows, cols);
  return cudaGetLastError();
}
