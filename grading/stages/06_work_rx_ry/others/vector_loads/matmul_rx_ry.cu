// Everything travels in groups of four where rows allow it, else one by one. The tile of A is kept
// transposed, with longer rows where shared memory has room for them, so that it is read like that
// of B.

#include "matmul_rx_ry.hpp"

#include <cstddef>

template <int W>
struct alignas(W * sizeof(float)) Group {
  float of[W];
};

// The rows or columns of C that a block works on: stretches of Tile of them, `step` apart.
struct Stretches {
  int first, step, end;

  // Place of element i, or -1 where there is none; `end` ends the first stretch.
  template <int Tile>
  __device__ int place(int i, int n) const {
    const int within = first + i % Tile;
    const int place = within + i / Tile * step;
    return within < end && place < n ? place : -1;
  }
};

template <int T, int RX, int RY, int W>
class Block {
 public:
  __device__ Block(const float* A, const float* B, int n, Stretches rows, Stretches cols)
      : A(A), B(B), n(n), rows(rows), cols(cols), me(threadIdx.y * T + threadIdx.x) {}

  __device__ void multiply_into(float* C) {
    __shared__ Tiles tiles;
    float sum[RY][RX] = {};
    for (int k0 = 0; k0 < n; k0 += T) {
      fetch_a(tiles, k0);
      fetch_b(tiles, k0);
      __syncthreads();
#pragma unroll 4
      for (int k = 0; k < T; ++k) {
#pragma unroll
        for (int i = 0; i < RY; ++i) {
#pragma unroll
          for (int j = 0; j < RX; ++j) {
            sum[i][j] += tiles.a[k][i * T + threadIdx.y] * tiles.b[k][j * T + threadIdx.x];
          }
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < RY; ++i) {
      const int row = rows.place<T>(i * T + threadIdx.y, n);
#pragma unroll
      for (int j = 0; j < RX; ++j) {
        const int col = cols.place<T>(j * T + threadIdx.x, n);
        if (row >= 0 && col >= 0) C[std::size_t(row) * n + col] = sum[i][j];
      }
    }
  }

 private:
  static constexpr int floats = T * T * (RX + RY);
  static constexpr int pad = (floats + T) * sizeof(float) <= 48 * 1024 ? 1 : 0;
  struct Tiles {
    alignas(16) float b[T][T * RX];  // (k, col)
    float a[T][T * RY + pad];        // (k, row)
  };

  // A group lies within a row of the matrix and a stretch, or it does not exist at all.
  __device__ Group<W> fetch(const float* matrix, int row, int col) const {
    if (row < 0 || row >= n || col < 0 || col >= n) return {};
    return *reinterpret_cast<const Group<W>*>(matrix + std::size_t(row) * n + col);
  }

  __device__ void fetch_a(Tiles& tiles, int k0) const {
    for (int g = me; g < T * RY * T / W; g += T * T) {
      const int i = g / (T / W), k = g % (T / W) * W;
      const Group<W> group = fetch(A, rows.place<T>(i, n), k0 + k);
      for (int w = 0; w < W; ++w) tiles.a[k + w][i] = group.of[w];
    }
  }

  __device__ void fetch_b(Tiles& tiles, int k0) const {
    for (int g = me; g < T * RX * T / W; g += T * T) {
      const int k = g / (T * RX / W), j = g % (T * RX / W) * W;
      const Group<W> group = fetch(B, k0 + k, cols.place<T>(j, n));
      *reinterpret_cast<Group<W>*>(&tiles.b[k][j]) = group;
    }
  }

  const float *A, *B;
  int n;
  Stretches rows, cols;
  int me;
};

template <int T, int RX, int RY, int W>
__global__ void __launch_bounds__(T* T)
    kernel(const float* A, const float* B, float* C, int n, Stretches rows, Stretches cols,
           int row_pitch, int col_pitch) {
  rows.first = blockIdx.y * row_pitch;
  cols.first = blockIdx.x * col_pitch;
  Block<T, RX, RY, W>(A, B, n, rows, cols).multiply_into(C);
}

namespace {

struct Call {
  const float *A, *B;
  float* C;
  int n;
};

int share(int n, int of) { return (n + of - 1) / of; }

template <int T, int RX, int RY>
void run(const Call& c, bool apart) {
  const Stretches rows{0, apart ? share(c.n, RY) : T, apart ? share(c.n, RY) : c.n};
  const Stretches cols{0, apart ? share(c.n, RX) : T, apart ? share(c.n, RX) : c.n};
  const int row_pitch = apart ? T : T * RY, col_pitch = apart ? T : T * RX;
  const dim3 grid(share(cols.end, col_pitch), share(rows.end, row_pitch)), block(T, T);
  if (c.n % 4 == 0 && cols.end % 4 == 0) {
    kernel<T, RX, RY, 4><<<grid, block>>>(c.A, c.B, c.C, c.n, rows, cols, row_pitch, col_pitch);
  } else {
    kernel<T, RX, RY, 1><<<grid, block>>>(c.A, c.B, c.C, c.n, rows, cols, row_pitch, col_pitch);
  }
}

constexpr int key(int tile, int rx, int ry) { return (tile * 32 + rx) * 32 + ry; }

}  // namespace

#define CASE(tile, rx, ry)                 \
  case key(tile, rx, ry):                  \
    if (n) run<tile, rx, ry>(call, apart); \
    break

static cudaError_t multiply(const float* A, const float* B, float* C, int n, int which,
                            bool apart) {
  if (n < 0 || (n && !(A && B && C))) return cudaErrorInvalidValue;
  const Call call{A, B, C, n};
  switch (which) {
    CASE(16, 1, 1);
    CASE(16, 2, 1);
    CASE(16, 2, 2);
    CASE(16, 2, 3);
    CASE(16, 2, 4);
    CASE(16, 2, 8);
    CASE(16, 4, 4);
    CASE(16, 5, 6);
    CASE(16, 6, 6);
    CASE(16, 8, 8);
    CASE(16, 16, 16);
    CASE(16, 23, 24);
    CASE(16, 24, 24);
    CASE(32, 1, 1);
    CASE(32, 2, 1);
    CASE(32, 2, 2);
    CASE(32, 2, 3);
    CASE(32, 2, 4);
    CASE(32, 4, 4);
    CASE(32, 5, 6);
    CASE(32, 6, 6);
    default:
      return cudaErrorInvalidValue;
  }
  return n ? cudaGetLastError() : cudaSuccess;
}

cudaError_t matmul_rx_ry(const float* A, const float* B, float* C, int n, int tile, int rx,
                         int ry) {
  if (rx < 1 || rx > 24 || ry < 1 || ry > 24) return cudaErrorInvalidValue;
  if (tile == 16 && rx == 2 && ry == 4) return cudaErrorInvalidValue;  // matmul_strided's
  return multiply(A, B, C, n, key(tile, rx, ry), false);
}

cudaError_t matmul_strided(const float* A, const float* B, float* C, int n, int tile, int results) {
  switch (results) {
    case 1:
      return multiply(A, B, C, n, key(tile, 1, 1), true);
    case 4:
      return multiply(A, B, C, n, key(tile, 2, 2), true);
    case 8:
      return multiply(A, B, C, n, key(tile, 2, 4), true);
    case 16:
      return multiply(A, B, C, n, key(tile, 4, 4), true);
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t matmul_auto(const float* A, const float* B, float* C, int n) {
  return n > 300 ? matmul_strided(A, B, C, n, 16, 16) : matmul_rx_ry(A, B, C, n, 16, 2, 1);
}
