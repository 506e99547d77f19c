// Two pairs of tiles in dynamic shared memory, one filled while the other is used, rows of B
// fetched in pairs where they are aligned, and a kernel of its own for C = beta * C.
#include "dgemm.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

constexpr int side = 32, thread_rows = 8, rows_each = side / thread_rows;
constexpr int pitch = side + 2;              // even: pairs of doubles stay aligned
constexpr int tile_elements = side * pitch;  // of A or of B
constexpr std::size_t shared_bytes = 3 * tile_elements * sizeof(double);

extern __shared__ double2 pairs[];

__global__ void scale(int m, int n, double beta, double* C, int ldc) {
  for (int row = blockIdx.x; row < m; row += gridDim.x) {
    double* const c = C + std::size_t(row) * ldc;
    for (int col = threadIdx.x; col < n; col += blockDim.x) c[col] = beta == 0 ? 0 : beta * c[col];
  }
}

__global__ void two_rows_of_results(int m, int n, int k, double alpha, const double* A, int lda,
                                    const double* B, int ldb, double beta, double* C, int ldc) {
  const int col =
      blockIdx.y * blockDim.x + threadIdx.x;  // a grid is longest along x: that is for m
  const int row = 2 * (blockIdx.x * blockDim.y + threadIdx.y);
  if (col >= n || row >= m) return;
  const bool has_second = row + 1 < m;
  const double* const upper = A + std::size_t(row) * lda;
  const double* const lower = has_second ? upper + lda : upper;
  double sums[2] = {};
  for (int i = 0; i < k; ++i) {
    const double b = B[std::size_t(i) * ldb + col];
    sums[0] += upper[i] * b;
    sums[1] += lower[i] * b;
  }
  for (int i = 0; i < (has_second ? 2 : 1); ++i) {
    double* const c = C + std::size_t(row + i) * ldc + col;
    *c = alpha * sums[i] + (beta == 0 ? 0 : beta * *c);
  }
}

// As is filled anew between two barriers, Bs in turns.
template <bool Pairs>
__global__ void tiles_in_turns(int m, int n, int k, double alpha, const double* A, int lda,
                               const double* B, int ldb, double beta, double* C, int ldc) {
  double* const As = reinterpret_cast<double*>(pairs);  // (side, pitch)
  double* const Bs = As + tile_elements;                // (2, side, pitch)
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * side, col0 = blockIdx.x * side;

  const auto bring_b = [&](int turn, int first) {
    double* const to = Bs + turn * tile_elements;
    if (Pairs) {
      const int thread = ty * side + tx;
      for (int i = thread; i < side * side / 2; i += side * thread_rows) {
        const int y = i / (side / 2), x = i % (side / 2) * 2;
        double2 two = make_double2(0, 0);
        if (first + y < k) {
          const double* const from = B + std::size_t(first + y) * ldb + col0 + x;
          if (col0 + x + 1 < n) {
            two = *reinterpret_cast<const double2*>(from);
          } else if (col0 + x < n) {
            two.x = *from;
          }
        }
        *reinterpret_cast<double2*>(to + y * pitch + x) = two;
      }
    } else {
      for (int y = ty; y < side; y += thread_rows) {
        const bool exists = first + y < k && col0 + tx < n;
        to[y * pitch + tx] = exists ? B[std::size_t(first + y) * ldb + col0 + tx] : 0;
      }
    }
  };

  double sums[rows_each] = {};
  bring_b(0, 0);
  for (int first = 0, turn = 0; first < k; first += side, turn ^= 1) {
    for (int y = ty; y < side; y += thread_rows) {
      const bool exists = row0 + y < m && first + tx < k;
      As[y * pitch + tx] = exists ? A[std::size_t(row0 + y) * lda + first + tx] : 0;
    }
    __syncthreads();
    if (first + side < k) bring_b(turn ^ 1, first + side);
    const double* const b = Bs + turn * tile_elements + tx;
#pragma unroll 4
    for (int i = 0; i < side; ++i) {
      for (int r = 0; r < rows_each; ++r) {
        sums[r] += As[(ty + r * thread_rows) * pitch + i] * b[i * pitch];
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < rows_each; ++r) {
    const int row = row0 + ty + r * thread_rows, col = col0 + tx;
    if (row >= m || col >= n) continue;
    double& c = C[std::size_t(row) * ldc + col];
    if (beta == 0) {
      c = alpha * sums[r];
    } else {
      c = beta * c + alpha * sums[r];
    }
  }
}

static unsigned count_of(int elements, int each) { return unsigned((elements - 1) / each + 1); }

// Whether the call is done with, and how it went.
static bool is_done(int m, int n, int k, double alpha, const double* A, int lda, const double* B,
                    int ldb, double beta, double* C, int ldc, cudaError_t* status) {
  *status = cudaErrorInvalidValue;
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return true;
  *status = cudaSuccess;
  if (m == 0 || n == 0) return true;
  const bool is_scaling = alpha == 0 || k == 0;
  if (C == nullptr || (!is_scaling && (A == nullptr || B == nullptr))) {
    *status = cudaErrorInvalidValue;
    return true;
  }
  if (!is_scaling) return false;
  if (beta == 1) return true;
  const int blocks = std::min(m, 1024);
  scale<<<blocks, 256>>>(m, n, beta, C, ldc);
  *status = cudaGetLastError();
  return true;
}

cudaError_t dgemm_global(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  cudaError_t status;
  if (is_done(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, &status)) return status;
  two_rows_of_results<<<dim3(count_of(m, 8), count_of(n, 64)), dim3(64, 4)>>>(
      m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}

cudaError_t dgemm_shared(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  cudaError_t status;
  if (is_done(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, &status)) return status;
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(B) % sizeof(double2) == 0 && ldb % 2 == 0;
  const auto kernel = is_aligned ? tiles_in_turns<true> : tiles_in_turns<false>;
  const dim3 grid(count_of(n, side), count_of(m, side));
  kernel<<<grid, dim3(side, thread_rows), shared_bytes>>>(m, n, k, alpha, A, lda, B, ldb, beta, C,
                                                          ldc);
  return cudaGetLastError();
}
