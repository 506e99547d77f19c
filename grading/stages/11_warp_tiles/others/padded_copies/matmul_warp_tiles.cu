// No kernel asks for edges: where blocks do not divide n, helpers copy A and B into larger matrices
// with zeros around, and the product back. A grid of fixed size, whose blocks go on to the next
// part of C, and parameters as a struct.

#include "matmul_warp_tiles.hpp"

#include <cstddef>
#include <cstdint>

#include "tilewise/ptx.hpp"

namespace {

using namespace tilewise::ptx;

struct Product {
  const float *a, *b;
  float* c;
  int n;  // a multiple of 128
};

// Two warps: each 64 x 64 results, 8 x 4 lanes, 8 x 16 results a lane.
constexpr int kRows = 64, kCols = 128, kDepth = 8, kThreads = 64;

template <int Rows>
struct Rectangle {
  float v[kDepth][Rows + 4];
};

struct Pair {
  Rectangle<kRows> a;
  Rectangle<kCols> b;
};

struct Lane {
  int row, col;
  __device__ Lane()
      : row(threadIdx.x % 32 / 4 * 4), col(threadIdx.x / 32 * 64 + threadIdx.x % 4 * 4) {}
};

template <int Count, int Apart, int Rows>
__device__ void read(float (&to)[Count], const Rectangle<Rows>& from, int k, int first) {
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    const float4 v = reinterpret_cast<const float4&>(from.v[k][first + i / 4 * Apart]);
    to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
  }
}

__device__ void multiply(float (&sum)[8][16], const Pair& pair, const Lane& lane) {
#pragma unroll
  for (int k = 0; k < kDepth; ++k) {
    float a[8], b[16];
    read<8, 32>(a, pair.a, k, lane.row);
    read<16, 16>(b, pair.b, k, lane.col);
#pragma unroll
    for (int j = 0; j < 16; ++j) {
#pragma unroll
      for (int i = 0; i < 8; ++i) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
    }
  }
}

__device__ void put(float* c, int n, const Lane& lane, const float (&sum)[8][16]) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 16; j += 4) {
      const std::size_t row = lane.row + i / 4 * 32 + i % 4, col = lane.col + j / 4 * 16;
      reinterpret_cast<float4&>(c[row * n + col]) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
  }
}

// 128 quads of A, 256 of B.
__device__ void fetch(Pair& pair, const float* a, const float* b, int n, int k0) {
#pragma unroll
  for (int q = threadIdx.x; q < kRows * kDepth / 4; q += kThreads) {
    const int row = q / 2, k = q % 2 * 4;
    const float4 v = reinterpret_cast<const float4&>(a[std::size_t(row) * n + k0 + k]);
    pair.a.v[k][row] = v.x, pair.a.v[k + 1][row] = v.y;
    pair.a.v[k + 2][row] = v.z, pair.a.v[k + 3][row] = v.w;
  }
#pragma unroll
  for (int q = threadIdx.x; q < kCols * kDepth / 4; q += kThreads) {
    const int k = q / 32, col = q % 32 * 4;
    reinterpret_cast<float4&>(pair.b.v[k][col]) =
        reinterpret_cast<const float4&>(b[std::size_t(k0 + k) * n + col]);
  }
}

__device__ void begin(Pair& pair, const float* a, const float* b, int n, int k0) {
#pragma unroll
  for (int e = threadIdx.x; e < kRows * kDepth; e += kThreads) {
    const int row = e / kDepth, k = e % kDepth;
    cp_async<4>(&pair.a.v[k][row], &a[std::size_t(row) * n + k0 + k]);
  }
#pragma unroll
  for (int q = threadIdx.x; q < kCols * kDepth / 4; q += kThreads) {
    const int k = q / 32, col = q % 32 * 4;
    cp_async<16>(&pair.b.v[k][col], &b[std::size_t(k0 + k) * n + col]);
  }
}

enum class Copies { none, ahead };

template <int Stages, Copies copies>
__global__ void __launch_bounds__(kThreads) product(Product p) {
  __shared__ __align__(16) Pair pairs[Stages];
  const Lane lane;
  const int across = p.n / kCols, parts = across * (p.n / kRows), steps = p.n / kDepth;
  for (int part = blockIdx.x; part < parts; part += gridDim.x) {
    const std::size_t top = part / across * kRows, left = part % across * kCols;
    const float *a = p.a + top * p.n, *b = p.b + left;
    float sum[8][16] = {};
    if (copies == Copies::none) {
      for (int step = 0; step < steps; ++step) {
        Pair& pair = pairs[step % Stages];
        fetch(pair, a, b, p.n, step * kDepth);
        __syncthreads();
        multiply(sum, pair, lane);
        if (Stages == 1) __syncthreads();
      }
    } else {
      for (int step = 1 - Stages; step < steps; ++step) {
        const int later = step + Stages - 1;
        if (later < steps) begin(pairs[later % Stages], a, b, p.n, later * kDepth);
        cp_async_commit();
        if (step < 0) continue;
        cp_async_wait<Stages - 1>();
        __syncthreads();
        multiply(sum, pairs[step % Stages], lane);
        __syncthreads();
      }
    }
    put(p.c + top * p.n + left, p.n, lane, sum);
    __syncthreads();
  }
}

// to: (larger, larger); from: (n, n).
__global__ void enlarge(float* to, int larger, const float* from, int n) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  to[std::size_t(row) * larger + col] =
      row < n && col < n ? from[std::size_t(row) * n + col] : 0.0f;
}

__global__ void cut_out(float* to, int n, const float* from, int larger) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row < n && col < n) to[std::size_t(row) * n + col] = from[std::size_t(row) * larger + col];
}

// Kept from call to call: cudaFree() would wait for the kernel.
float* scratch(std::size_t elements) {
  static float* memory = nullptr;
  static std::size_t size = 0;
  if (elements > size) {
    cudaFree(memory);
    memory = nullptr;
    size = cudaMalloc(&memory, elements * sizeof(float)) == cudaSuccess ? elements : 0;
  }
  return memory;
}

bool is_round(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % 16 == 0; }

template <class Launch>
cudaError_t with_whole_blocks(const float* A, const float* B, float* C, int n, Launch launch) {
  if (n == 0) return cudaSuccess;
  if (n < 0 || A == nullptr || B == nullptr || C == nullptr) return cudaErrorInvalidValue;
  if (n % kCols == 0 && is_round(A) && is_round(B) && is_round(C)) {
    launch(Product{A, B, C, n});
    return cudaGetLastError();
  }
  const int larger = (n + kCols - 1) / kCols * kCols;
  const std::size_t elements = std::size_t(larger) * larger;
  float* const a = scratch(3 * elements);
  if (a == nullptr) return cudaErrorMemoryAllocation;
  float *const b = a + elements, *const c = b + elements;
  const dim3 grid(larger / 32, larger / 8), block(32, 8);
  enlarge<<<grid, block>>>(a, larger, A, n);
  enlarge<<<grid, block>>>(b, larger, B, n);
  launch(Product{a, b, c, larger});
  cut_out<<<grid, block>>>(C, n, c, larger);
  return cudaGetLastError();
}

int blocks_of(const Product& p) {
  const int parts = (p.n / kRows) * (p.n / kCols), most = 4 * 528;
  return parts < most ? parts : most;
}

}  // namespace

cudaError_t matmul_vectorized(const float* A, const float* B, float* C, int n) {
  return with_whole_blocks(A, B, C, n, [](const Product& p) {
    product<1, Copies::none><<<blocks_of(p), kThreads>>>(p);
  });
}

cudaError_t matmul_warp_tiles(const float* A, const float* B, float* C, int n) {
  return with_whole_blocks(A, B, C, n, [](const Product& p) {
    product<2, Copies::none><<<blocks_of(p), kThreads>>>(p);
  });
}

cudaError_t matmul_async(const float* A, const float* B, float* C, int n) {
  return with_whole_blocks(A, B, C, n, [](const Product& p) {
    product<4, Copies::ahead><<<blocks_of(p), kThreads>>>(p);
  });
}
