// Stage 8, first part: C = alpha * A * B + beta * C in double precision, on parts of matrices.

#include "dgemm.hpp"

#include <cstddef>

// A: (m, k), B: (k, n), C: (m, n), row-major: element (row, col) of A lies at row * lda + col.

// C is read only where beta is not 0: 0 * NaN would be NaN.
__device__ void store(double* c, double alpha, double sum, double beta) {
  *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

__global__ void global_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                              const double* B, int ldb, double beta, double* C, int ldc) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  double sum = 0;
  // lab: begin sum up a row of A times a column of B
  const double* a = A + std::size_t(row) * lda;  // moves right
  const double* b = B + col;                     // moves down
  for (int q = 0; q < k; ++q, b += ldb) sum += a[q] * *b;
  // lab: end
  store(&C[std::size_t(row) * ldc + col], alpha, sum, beta);
}

// One result a thread, tiles in shared memory, as in stage 3: blocks of Tile x Tile threads.
template <int Tile>
__global__ void shared_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                              const double* B, int ldb, double beta, double* C, int ldc) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty;
  const int col = blockIdx.x * Tile + tx;

  double sum = 0;
  // lab: begin sum up the products of tiles
  __shared__ double As[Tile][Tile];  // (row, k)
  __shared__ double Bs[Tile][Tile];  // (k, col)
  for (int k0 = 0; k0 < k; k0 += Tile) {
    // Zeros beyond the edge add nothing to a sum.
    As[ty][tx] = row < m && k0 + tx < k ? A[std::size_t(row) * lda + k0 + tx] : 0.0;
    Bs[ty][tx] = k0 + ty < k && col < n ? B[std::size_t(k0 + ty) * ldb + col] : 0.0;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < Tile; ++q) sum += As[ty][q] * Bs[q][tx];
    __syncthreads();
  }
  // lab: end
  if (row < m && col < n) store(&C[std::size_t(row) * ldc + col], alpha, sum, beta);
}

static int divide_up(int count, int unit) { return count / unit + (count % unit != 0); }

// lab: begin (further on) a kernel with several results a thread, as in stage 6
// ry x rx results a thread, as in stage 6: a block computes (Rows, Cols) of C, Depth columns of A
// and rows of B at a time. A double fills half of a 16-byte load, so a thread's rows and columns
// come in pairs of neighbours, and A is stored by columns: two doubles a load from both tiles.
template <int Rows, int Cols, int Depth, int ry, int rx>
struct Tiling {
  static constexpr int threads_x = Cols / rx, threads_y = Rows / ry;
  static constexpr int threads = threads_x * threads_y;

  // A warp is 8 threads wide and 4 high, which needs the fewest different elements of A and B.
  static constexpr int warp_x = 8, warp_y = 4;
  static_assert(threads_x % warp_x == 0 && threads_y % warp_y == 0 && rx % 2 == 0 && ry % 2 == 0,
                "warps and pairs must fit");
};

template <int Rows, int Cols, int Depth, int ry, int rx>
__global__ __launch_bounds__(Tiling<Rows, Cols, Depth, ry, rx>::threads,
                             2) void tiled_kernel(int m, int n, int k, double alpha,
                                                  const double* A, int lda, const double* B,
                                                  int ldb, double beta, double* C, int ldc) {
  using T = Tiling<Rows, Cols, Depth, ry, rx>;
  const int t = threadIdx.x;
  constexpr int warps_x = T::threads_x / T::warp_x;
  const int warp = t / 32, lane = t % 32;
  // Neighbouring lanes lie below each other, and those two apart beside each other. Hopper serves
  // two quarters of a warp's 16-byte loads at once where neighbouring lanes, or those two apart,
  // read the same: so it is for B, and so it is for A.
  const int tx = warp % warps_x * T::warp_x + lane / 2 % T::warp_x;
  const int ty = warp / warps_x * T::warp_y + lane % 2 + lane / 16 * 2;
  const int row0 = blockIdx.y * Rows;
  const int col0 = blockIdx.x * Cols;

  __shared__ __align__(16) double As[Depth][Rows + 2];  // (k, row), padded for the stores
  __shared__ __align__(16) double Bs[Depth][Cols];      // (k, col)

  // The next tiles, on their way: one thread after another along the rows of A and B, whoever uses
  // the elements.
  constexpr int a_elements = Rows * Depth / T::threads, b_elements = Depth * Cols / T::threads;
  double next_a[a_elements], next_b[b_elements];
  const bool inside = row0 + Rows <= m && col0 + Cols <= n;
  const auto fetch = [&](int k0) {
    if (inside && k0 + Depth <= k) {
#pragma unroll
      for (int i = 0; i < a_elements; ++i) {
        const int element = i * T::threads + t;
        next_a[i] = A[std::size_t(row0 + element / Depth) * lda + k0 + element % Depth];
      }
#pragma unroll
      for (int i = 0; i < b_elements; ++i) {
        const int element = i * T::threads + t;
        next_b[i] = B[std::size_t(k0 + element / Cols) * ldb + col0 + element % Cols];
      }
    } else {
#pragma unroll
      for (int i = 0; i < a_elements; ++i) {
        const int element = i * T::threads + t;
        const int row = row0 + element / Depth, q = k0 + element % Depth;
        next_a[i] = row < m && q < k ? A[std::size_t(row) * lda + q] : 0.0;
      }
#pragma unroll
      for (int i = 0; i < b_elements; ++i) {
        const int element = i * T::threads + t;
        const int q = k0 + element / Cols, col = col0 + element % Cols;
        next_b[i] = q < k && col < n ? B[std::size_t(q) * ldb + col] : 0.0;
      }
    }
  };
  // The rows, and in the same way the columns, of a thread: a pair, and more of them further on.
  const auto row_of = [&](int i) { return i / 2 * 2 * T::threads_y + 2 * ty + i % 2; };
  const auto col_of = [&](int j) { return j / 2 * 2 * T::threads_x + 2 * tx + j % 2; };

  double sum[ry][rx] = {};
  if (k > 0) fetch(0);
  for (int k0 = 0; k0 < k; k0 += Depth) {
#pragma unroll
    for (int i = 0; i < a_elements; ++i) {
      const int element = i * T::threads + t;
      As[element % Depth][element / Depth] = next_a[i];
    }
#pragma unroll
    for (int i = 0; i < b_elements; ++i) {
      const int element = i * T::threads + t;
      Bs[element / Cols][element % Cols] = next_b[i];
    }
    __syncthreads();
    if (k0 + Depth < k) fetch(k0 + Depth);
#pragma unroll
    for (int q = 0; q < Depth; ++q) {
      double b[rx];
#pragma unroll
      for (int j = 0; j < rx; j += 2) {
        const double2 pair = *reinterpret_cast<const double2*>(&Bs[q][col_of(j)]);
        b[j] = pair.x;
        b[j + 1] = pair.y;
      }
#pragma unroll
      for (int i = 0; i < ry; i += 2) {
        const double2 a = *reinterpret_cast<const double2*>(&As[q][row_of(i)]);
#pragma unroll
        for (int j = 0; j < rx; ++j) {
          sum[i][j] += a.x * b[j];
          sum[i + 1][j] += a.y * b[j];
        }
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < ry; ++i) {
#pragma unroll
    for (int j = 0; j < rx; ++j) {
      const int row = row0 + row_of(i), col = col0 + col_of(j);
      if (row < m && col < n) store(&C[std::size_t(row) * ldc + col], alpha, sum[i][j], beta);
    }
  }
}

template <int Rows, int Cols, int Depth, int ry, int rx>
static cudaError_t launch_tiled(int m, int n, int k, double alpha, const double* A, int lda,
                                const double* B, int ldb, double beta, double* C, int ldc) {
  const dim3 grid(divide_up(n, Cols), divide_up(m, Rows));
  tiled_kernel<Rows, Cols, Depth, ry, rx><<<grid, Tiling<Rows, Cols, Depth, ry, rx>::threads>>>(
      m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}
// lab: end

static bool is_valid(int m, int n, int k, double alpha, const double* A, int lda, const double* B,
                     int ldb, const double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return false;
  if (m == 0 || n == 0) return true;
  return C && (alpha == 0 || k == 0 || (A && B));
}

// A grid ends at 65,535 blocks along y.
constexpr int most_blocks_down = 65'535;

cudaError_t dgemm_global(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (!is_valid(m, n, k, alpha, A, lda, B, ldb, C, ldc)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;  // neither A nor B may be read: 0 * NaN would be NaN
  constexpr int block_rows = 8, band = most_blocks_down * block_rows;  // rows of a launch
  if (m > band) {
    const cudaError_t error = dgemm_global(band, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    if (error) return error;
    return dgemm_global(m - band, n, k, alpha, A + std::size_t(band) * lda, lda, B, ldb, beta,
                        C + std::size_t(band) * ldc, ldc);
  }
  const dim3 block(32, block_rows);
  const dim3 grid(divide_up(n, block.x), divide_up(m, block.y));
  global_kernel<<<grid, block>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}

cudaError_t dgemm_shared(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (!is_valid(m, n, k, alpha, A, lda, B, ldb, C, ldc)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;
  constexpr int tile = 16, band = most_blocks_down * tile;  // rows of a launch
  if (m > band) {
    const cudaError_t error = dgemm_shared(band, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    if (error) return error;
    return dgemm_shared(m - band, n, k, alpha, A + std::size_t(band) * lda, lda, B, ldb, beta,
                        C + std::size_t(band) * ldc, ldc);
  }

  // lab: begin (further on) choose the kernel with several results a thread where C is large enough
  // Large tiles read less and compute faster, but a small C has too few of them to go round.
  const auto blocks = [&](int rows, int cols) { return divide_up(m, rows) * divide_up(n, cols); };
  constexpr int enough = 128;  // about as many as a large GPU has SMs
  if (blocks(64, 128) >= 2 * enough) {
    return launch_tiled<64, 128, 8, 8, 8>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  }
  if (blocks(64, 64) >= enough) {
    return launch_tiled<64, 64, 16, 8, 4>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  }
  if (blocks(32, 32) >= enough) {
    return launch_tiled<32, 32, 16, 4, 2>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  }
  // lab: end
  const dim3 grid(divide_up(n, tile), divide_up(m, tile));
  shared_kernel<tile><<<grid, dim3(tile, tile)>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}
