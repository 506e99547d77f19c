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

// The factors of the next k are on their way while those of this one are multiplied.
__device__ void multiply(float (&sum)[8][16], const Pair& pair, const Lane& lane) {
  float a[2][8], b[2][16];
  read<8, 32>(a[0], pair.a, 0, lane.row);
  read<16, 16>(b[0], pair.b, 0, lane.col);
#pragma unroll
  for (int k = 0; k < kDepth; ++k) {
    if (k + 1 < kDepth) {
      read<8, 32>(a[(k + 1) % 2], pair.a, k + 1, lane.row);
      read<16, 16>(b[(k + 1) % 2], pair.b, k + 1, lane.col);
    }
#pragma unroll
    for (int j = 0; j < 16; ++j) {
#pragma unroll
      for (int i = 0; i < 8; ++i) sum[i][j] = fmaf(a[k % 2][i], b[k % 2][j], sum[i][j]);
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

// 128 quads of A, 256 of B, by way of registers.
struct Fetched {
  float4 a[2], b[4];
  const float *next_a, *next_b;
  int n;

  __device__ Fetched(const float* a, const float* b, int n_) : n(n_) {
    next_a = a + std::size_t(threadIdx.x / 2) * n + threadIdx.x % 2 * 4;
    next_b = b + std::size_t(threadIdx.x / 32) * n + threadIdx.x % 32 * 4;
  }
  __device__ void fetch() {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      a[i] = reinterpret_cast<const float4&>(next_a[std::size_t(32 * i) * n]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      b[i] = reinterpret_cast<const float4&>(next_b[std::size_t(2 * i) * n]);
    }
    next_a += kDepth;
    next_b += std::size_t(kDepth) * n;
  }
  __device__ void put(Pair& pair) const {
    const int row = threadIdx.x / 2, k = threadIdx.x % 2 * 4;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      pair.a.v[k][row + 32 * i] = a[i].x, pair.a.v[k + 1][row + 32 * i] = a[i].y;
      pair.a.v[k + 2][row + 32 * i] = a[i].z, pair.a.v[k + 3][row + 32 * i] = a[i].w;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float& to = pair.b.v[threadIdx.x / 32 + 2 * i][threadIdx.x % 32 * 4];
      reinterpret_cast<float4&>(to) = b[i];
    }
  }
};

// 512 elements of A one by one, 256 quads of B, by copies.
struct Copied {
  const float *next_a, *next_b;
  int n;

  __device__ Copied(const float* a, const float* b, int n_) : n(n_) {
    next_a = a + std::size_t(threadIdx.x / kDepth) * n + threadIdx.x % kDepth;
    next_b = b + std::size_t(threadIdx.x / 32) * n + threadIdx.x % 32 * 4;
  }
  __device__ void begin(Pair& pair) {
    float* const to_a = &pair.a.v[threadIdx.x % kDepth][threadIdx.x / kDepth];
    float* const to_b = &pair.b.v[threadIdx.x / 32][threadIdx.x % 32 * 4];
    constexpr int rows = kThreads / kDepth;
#pragma unroll
    for (int i = 0; i < kRows / rows; ++i) {
      cp_async<4>(to_a + rows * i, next_a + std::size_t(rows * i) * n);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      cp_async<16>(to_b + 2 * i * (kCols + 4), next_b + std::size_t(2 * i) * n);
    }
    next_a += kDepth;
    next_b += std::size_t(kDepth) * n;
  }
};

enum class Way { one_pair, two_pairs, copies };

template <Way way>
constexpr int pairs_of = way == Way::one_pair    ? 1
                         : way == Way::two_pairs ? 2
                                                 : 4;

template <Way way>
__device__ void add_products(float (&sum)[8][16], const float* a, const float* b, int n,
                             const Lane& lane) {
  constexpr int stages = pairs_of<way>;
  __shared__ __align__(16) Pair pairs[stages];
  const int steps = n / kDepth;
  if constexpr (way == Way::one_pair) {
    Fetched fetched(a, b, n);
    for (int step = 0; step < steps; ++step) {
      fetched.fetch();
      __syncthreads();
      fetched.put(pairs[0]);
      __syncthreads();
      multiply(sum, pairs[0], lane);
    }
  } else if constexpr (way == Way::two_pairs) {
    Fetched fetched(a, b, n);
    fetched.fetch();
    fetched.put(pairs[0]);
    __syncthreads();
    for (int step = 0; step + 1 < steps; ++step) {
      fetched.fetch();
      multiply(sum, pairs[step & 1], lane);
      fetched.put(pairs[(step + 1) & 1]);
      __syncthreads();
    }
    multiply(sum, pairs[(steps - 1) & 1], lane);
  } else {
    Copied copied(a, b, n);
    for (int step = 0; step < stages - 1; ++step) {
      if (step < steps) copied.begin(pairs[step]);
      cp_async_commit();
    }
    for (int step = 0; step < steps; ++step) {
      cp_async_wait<stages - 2>();
      __syncthreads();
      if (step + stages - 1 < steps) copied.begin(pairs[(step + stages - 1) & (stages - 1)]);
      cp_async_commit();
      multiply(sum, pairs[step & (stages - 1)], lane);
    }
  }
}

template <Way way>
__global__ void __launch_bounds__(kThreads) product(Product p) {
  const Lane lane;
  const int across = p.n / kCols, parts = across * (p.n / kRows);
  for (int part = blockIdx.x; part < parts; part += gridDim.x) {
    const std::size_t top = part / across * kRows, left = part % across * kCols;
    float sum[8][16] = {};
    add_products<way>(sum, p.a + top * p.n, p.b + left, p.n, lane);
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
  return with_whole_blocks(
      A, B, C, n, [](const Product& p) { product<Way::one_pair><<<blocks_of(p), kThreads>>>(p); });
}

cudaError_t matmul_warp_tiles(const float* A, const float* B, float* C, int n) {
  return with_whole_blocks(
      A, B, C, n, [](const Product& p) { product<Way::two_pairs><<<blocks_of(p), kThreads>>>(p); });
}

cudaError_t matmul_async(const float* A, const float* B, float* C, int n) {
  return with_whole_blocks(
      A, B, C, n, [](const Product& p) { product<Way::copies><<<blocks_of(p), kThreads>>>(p); });
}
