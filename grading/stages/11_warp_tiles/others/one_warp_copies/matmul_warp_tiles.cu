// Warps with two tasks: in matmul_async one copies, and nothing else, while the others multiply.
// A type of its own for four elements, and objects for what belongs together.

#include "matmul_warp_tiles.hpp"

#include "tilewise/ptx.hpp"

namespace {

struct alignas(16) Vec {
  float e[4];
};

constexpr int M = 128, N = 128, K = 8;  // of a block
constexpr int Workers = 256;            // 8 warps of 32 x 64: 4 x 8 lanes, 8 x 8 results each

struct Source {
  const float* m;
  int n;
  bool whole;  // vectors: rows begin at multiples of 16 bytes

  __device__ Vec get(int row, int col) const {
    Vec v = {{0, 0, 0, 0}};
    if (row >= n) return v;
    const float* p = m + size_t(row) * n + col;
    if (whole) {
      if (col < n) v = *reinterpret_cast<const Vec*>(p);
      return v;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (col + i < n) v.e[i] = p[i];
    }
    return v;
  }
};

struct Stage {
  float a[K][M + 4];
  float b[K][N];
};

__device__ void store_transposed(Stage& s, int row, int k, const Vec& v) {
#pragma unroll
  for (int i = 0; i < 4; ++i) s.a[k + i][row] = v.e[i];
}

struct Sums {
  float c[8][8];

  __device__ void clear() {
    for (auto& row : c) {
      for (float& x : row) x = 0;
    }
  }

  __device__ void add(const Stage& s, int row, int col) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const Vec a0 = *reinterpret_cast<const Vec*>(&s.a[k][row]);
      const Vec a1 = *reinterpret_cast<const Vec*>(&s.a[k][row + 16]);
      const Vec b0 = *reinterpret_cast<const Vec*>(&s.b[k][col]);
      const Vec b1 = *reinterpret_cast<const Vec*>(&s.b[k][col + 32]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          c[i][j] += a0.e[i] * b0.e[j];
          c[i][j + 4] += a0.e[i] * b1.e[j];
          c[i + 4][j] += a1.e[i] * b0.e[j];
          c[i + 4][j + 4] += a1.e[i] * b1.e[j];
        }
      }
    }
  }

  __device__ void write(float* C, int row, int col, int n, bool whole) const {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int r = row + i / 4 * 16 + i % 4;
      if (r >= n) continue;
#pragma unroll
      for (int j = 0; j < 8; j += 4) {
        const int first = col + j / 4 * 32;
        float* const p = C + size_t(r) * n + first;
        if (whole) {
          const float4 v = make_float4(c[i][j], c[i][j + 1], c[i][j + 2], c[i][j + 3]);
          if (first < n) *reinterpret_cast<float4*>(p) = v;
        } else {
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            if (first + k < n) p[k] = c[i][j + k];
          }
        }
      }
    }
  }
};

template <int Stages>
__global__ void __launch_bounds__(Workers, 2)
    together(const float* A, const float* B, float* C, int n, bool whole) {
  __shared__ Stage stage[Stages];
  const int t = threadIdx.x, lane = t & 31;
  const int top = blockIdx.x * M, left = blockIdx.y * N;
  const int row = t / 64 * 32 + lane % 4 * 4, col = t / 32 % 2 * 64 + lane / 4 * 4;
  const Source a{A, n, whole}, b{B, n, whole};
  Sums sums;
  sums.clear();
  Vec va, vb;
  const auto load = [&](int k0) {
    va = a.get(top + t / 2, k0 + t % 2 * 4);
    vb = b.get(k0 + t / 32, left + lane * 4);
  };
  const auto keep = [&](Stage& s) {
    store_transposed(s, t / 2, t % 2 * 4, va);
    *reinterpret_cast<Vec*>(&s.b[t / 32][lane * 4]) = vb;
  };
  if (Stages == 1) {
    for (int k0 = 0; k0 < n; k0 += K) {
      load(k0);
      __syncthreads();
      keep(stage[0]);
      __syncthreads();
      sums.add(stage[0], row, col);
    }
  } else {
    load(0);
    int s = 0;
    for (int k0 = 0; k0 < n; k0 += K, s = (s + 1) % Stages) {
      keep(stage[s]);
      __syncthreads();
      if (k0 + K < n) load(k0 + K);
      sums.add(stage[s], row, col);
    }
  }
  sums.write(C, top + row, left + col, n, whole);
}

// One more warp: it has brought the next stage when all meet.
__global__ void __launch_bounds__(Workers + 32)
    divided(const float* A, const float* B, float* C, int n, bool whole) {
  constexpr int Stages = 3;
  __shared__ Stage stage[Stages];
  const int t = threadIdx.x, lane = t & 31;
  const int top = blockIdx.x * M, left = blockIdx.y * N;
  const int steps = (n + K - 1) / K;
  const bool copies = t >= Workers;
  const int row = t / 64 * 32 + lane % 4 * 4, col = t / 32 % 2 * 64 + lane / 4 * 4;
  const auto begin = [&](int step) {
    Stage& s = stage[step % Stages];
    const int k0 = step * K;
#pragma unroll 8
    for (int e = lane; e < M * K; e += 32) {
      const int r = e / K, k = e % K;
      const bool exists = top + r < n && k0 + k < n;
      tilewise::ptx::cp_async<4>(&s.a[k][r], exists ? A + size_t(top + r) * n + k0 + k : A,
                                 exists ? 4 : 0);
    }
    if (whole) {
#pragma unroll
      for (int e = lane; e < K * N / 4; e += 32) {
        const int k = e / (N / 4), c = e % (N / 4) * 4;
        const bool exists = k0 + k < n && left + c < n;
        tilewise::ptx::cp_async<16>(&s.b[k][c], exists ? B + size_t(k0 + k) * n + left + c : B,
                                    exists ? 16 : 0);
      }
    } else {
      for (int e = lane; e < K * N; e += 32) {
        const int k = e / N, c = e % N;
        const bool exists = k0 + k < n && left + c < n;
        tilewise::ptx::cp_async<4>(&s.b[k][c], exists ? B + size_t(k0 + k) * n + left + c : B,
                                   exists ? 4 : 0);
      }
    }
  };
  Sums sums;
  sums.clear();
  if (copies) {
    begin(0);
    tilewise::ptx::cp_async_commit();
    if (steps > 1) begin(1);
    tilewise::ptx::cp_async_commit();
    tilewise::ptx::cp_async_wait<1>();
  }
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    if (copies) {
      if (step + 2 < steps) begin(step + 2);
      tilewise::ptx::cp_async_commit();
      tilewise::ptx::cp_async_wait<1>();
    } else {
      sums.add(stage[step % Stages], row, col);
    }
    __syncthreads();
  }
  if (!copies) sums.write(C, top + row, left + col, n, whole);
}

bool begins_round(const void* p) { return (reinterpret_cast<size_t>(p) & 15) == 0; }

struct Launch {
  cudaError_t refused = cudaSuccess;
  dim3 grid;
  bool whole = false;
  bool needed = false;

  Launch(const float* A, const float* B, const float* C, int n) {
    if (n < 0 || (n > 0 && (!A || !B || !C))) {
      refused = cudaErrorInvalidValue;
    } else if (n > 0) {
      needed = true;
      grid = dim3((n + M - 1) / M, (n + N - 1) / N);
      whole = n % 4 == 0 && begins_round(A) && begins_round(B) && begins_round(C);
    }
  }
};

}  // namespace

cudaError_t matmul_vectorized(const float* A, const float* B, float* C, int n) {
  const Launch launch(A, B, C, n);
  if (!launch.needed) return launch.refused;
  together<1><<<launch.grid, Workers>>>(A, B, C, n, launch.whole);
  return cudaGetLastError();
}

cudaError_t matmul_warp_tiles(const float* A, const float* B, float* C, int n) {
  const Launch launch(A, B, C, n);
  if (!launch.needed) return launch.refused;
  together<2><<<launch.grid, Workers>>>(A, B, C, n, launch.whole);
  return cudaGetLastError();
}

cudaError_t matmul_async(const float* A, const float* B, float* C, int n) {
  const Launch launch(A, B, C, n);
  if (!launch.needed) return launch.refused;
  divided<<<launch.grid, Workers + 32>>>(A, B, C, n, launch.whole);
  return cudaGetLastError();
}
