// A thread's results are neighbours. What it fetches has nothing to do with what it needs: the
// elements of a tile are dealt out to the threads one after the other. Each product names both of
// its factors in shared memory.

#include "matmul_rx_ry.hpp"

#include <cstddef>

template <int Tile, int Rx, int Ry>
struct Piece {
  static constexpr int threads = Tile * Tile, rows = Tile * Ry, cols = Tile * Rx;
  float a[rows * Tile];  // (row, k)
  float b[Tile * cols];  // (k, col)
};

// row_of(i) and col_of(j) tell which row and column of C row i and column j of a piece are, or n
// where there is none. Of these, thread (x, y) has rows y * Ry + i or y + i * Tile, and columns
// likewise.
template <int Tile, int Rx, int Ry, bool neighbours, typename RowOf, typename ColOf>
__device__ void multiply(const float* A, const float* B, float* C, int n, RowOf row_of,
                         ColOf col_of) {
  using P = Piece<Tile, Rx, Ry>;
  __shared__ P piece;
  const int me = threadIdx.y * Tile + threadIdx.x;
  constexpr int step = neighbours ? 1 : Tile;
  const int y = threadIdx.y * (neighbours ? Ry : 1), x = threadIdx.x * (neighbours ? Rx : 1);

  float sum[Ry * Rx];
  for (float& s : sum) s = 0;
  for (int k0 = 0; k0 < n; k0 += Tile) {
    for (int e = me; e < P::rows * Tile; e += P::threads) {
      const int row = row_of(e / Tile), k = k0 + e % Tile;
      piece.a[e] = row < n && k < n ? A[std::size_t(row) * n + k] : 0;
    }
    for (int e = me; e < Tile * P::cols; e += P::threads) {
      const int k = k0 + e / P::cols, col = col_of(e % P::cols);
      piece.b[e] = k < n && col < n ? B[std::size_t(k) * n + col] : 0;
    }
    __syncthreads();
    for (int k = 0; k < Tile; ++k) {
#pragma unroll
      for (int r = 0; r < Ry * Rx; ++r) {
        sum[r] = fmaf(piece.a[(y + r / Rx * step) * Tile + k],
                      piece.b[k * P::cols + x + r % Rx * step], sum[r]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < Ry * Rx; ++r) {
    const int row = row_of(y + r / Rx * step), col = col_of(x + r % Rx * step);
    if (row < n && col < n) C[std::size_t(row) * n + col] = sum[r];
  }
}

template <int Tile, int Rx, int Ry>
__global__ void __launch_bounds__(Tile* Tile)
    together(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * Tile * Ry, col = blockIdx.x * Tile * Rx;
  multiply<Tile, Rx, Ry, true>(
      A, B, C, n, [=](int i) { return row + i; }, [=](int j) { return col + j; });
}

// Each part of C has Tile rows and columns in a piece.
template <int Tile, int Rx, int Ry>
__global__ void __launch_bounds__(Tile* Tile)
    apart(const float* A, const float* B, float* C, int n, int rows, int cols) {
  const int row = blockIdx.y * Tile, col = blockIdx.x * Tile;
  const auto place = [](int within, int part, int length, int end) {
    return within < length ? part * length + within : end;
  };
  multiply<Tile, Rx, Ry, false>(
      A, B, C, n, [=](int i) { return place(row + i % Tile, i / Tile, rows, n); },
      [=](int j) { return place(col + j % Tile, j / Tile, cols, n); });
}

static unsigned shares(int n, int size) { return (n - 1) / size + 1; }

// Calls what it is given for the configuration that was asked for.
template <int Tile, int Rx, int Ry>
struct Entry {
  int tile = Tile, rx = Rx, ry = Ry;

  void launch_together(const float* A, const float* B, float* C, int n) const {
    together<Tile, Rx, Ry>
        <<<dim3(shares(n, Tile * Rx), shares(n, Tile * Ry)), dim3(Tile, Tile)>>>(A, B, C, n);
  }
  void launch_apart(const float* A, const float* B, float* C, int n) const {
    const int rows = shares(n, Ry), cols = shares(n, Rx);
    apart<Tile, Rx, Ry><<<dim3(shares(cols, Tile), shares(rows, Tile)), dim3(Tile, Tile)>>>(
        A, B, C, n, rows, cols);
  }
};

template <typename Matches, typename Launch>
static cudaError_t choose(Matches, Launch) {
  return cudaErrorInvalidValue;
}

template <typename Matches, typename Launch, typename First, typename... Others>
static cudaError_t choose(Matches matches, Launch launch, First first, Others... others) {
  if (!matches(first)) return choose(matches, launch, others...);
  return launch(first);
}

cudaError_t matmul_rx_ry(const float* A, const float* B, float* C, int n, int tile, int rx,
                         int ry) {
  return choose([=](auto entry) { return entry.tile == tile && entry.rx == rx && entry.ry == ry; },
                [=](auto entry) {
                  if (n == 0) return cudaSuccess;
                  if (n < 0 || !A || !B || !C) return cudaErrorInvalidValue;
                  entry.launch_together(A, B, C, n);
                  return cudaPeekAtLastError() == cudaSuccess ? cudaSuccess : cudaGetLastError();
                },
                Entry<16, 1, 1>(), Entry<16, 2, 1>(), Entry<16, 2, 2>(), Entry<16, 2, 3>(),
                Entry<16, 2, 8>(), Entry<16, 4, 4>(), Entry<16, 5, 6>(), Entry<16, 6, 6>(),
                Entry<16, 8, 8>(), Entry<16, 16, 16>(), Entry<16, 23, 24>(), Entry<16, 24, 24>(),
                Entry<32, 1, 1>(), Entry<32, 2, 1>(), Entry<32, 2, 2>(), Entry<32, 2, 3>(),
                Entry<32, 2, 4>(), Entry<32, 4, 4>(), Entry<32, 5, 6>(), Entry<32, 6, 6>());
}

cudaError_t matmul_strided(const float* A, const float* B, float* C, int n, int tile, int results) {
  return choose([=](auto entry) { return entry.tile == tile && entry.rx * entry.ry == results; },
                [=](auto entry) {
                  if (n == 0) return cudaSuccess;
                  if (n < 0 || !A || !B || !C) return cudaErrorInvalidValue;
                  entry.launch_apart(A, B, C, n);
                  return cudaGetLastError();
                },
                Entry<16, 1, 1>(), Entry<16, 2, 2>(), Entry<16, 2, 4>(), Entry<16, 4, 4>(),
                Entry<32, 1, 1>(), Entry<32, 2, 2>(), Entry<32, 2, 4>(), Entry<32, 4, 4>());
}

cudaError_t matmul_auto(const float* A, const float* B, float* C, int n) {
  const int results = n < 200 ? 1 : n < 500 ? 2 : 4;
  return matmul_rx_ry(A, B, C, n, 16, results, results);
}
