// Few blocks that walk over many tiles of C, threads in one row that find their place in a tile
// themselves, tiles that end where the matrices end, and A transposed on its way to shared memory.
// Its blocks do not fill a GTX 1080 evenly:
// Slow: DgemmShared.ReachesMinimumGflops
#include "dgemm.hpp"

#include <algorithm>

constexpr long long side = 16;
constexpr int threads = int(side * side);
constexpr long long most_blocks = 40;

struct Problem {
  long long m, n, k;
  double alpha;
  const double* A;
  long long lda;
  const double* B;
  long long ldb;
  double beta;
  double* C;
  long long ldc;

  __host__ __device__ long long tiles_across() const { return (n + side - 1) / side; }
  __host__ __device__ long long tiles_down() const { return (m + side - 1) / side; }

  __host__ cudaError_t check() const {
    if (std::min({m, n, k}) < 0) return cudaErrorInvalidValue;
    if (k > lda || n > std::min(ldb, ldc)) return cudaErrorInvalidValue;
    const bool reads_factors = alpha != 0 && k > 0;
    if (m > 0 && n > 0 && (!C || (reads_factors && (!A || !B)))) return cudaErrorInvalidValue;
    return cudaSuccess;
  }

  __device__ void finish(long long row, long long col, double sum) const {
    double* const c = &C[row * ldc + col];
    double result = beta == 0 ? 0 : *c;
    if (beta != 0 && beta != 1) result *= beta;
    *c = result + alpha * sum;
  }
};

__global__ void walk_elements(Problem p) {
  const long long step = (long long)(gridDim.x) * blockDim.x;
  for (long long i = (long long)(blockIdx.x) * blockDim.x + threadIdx.x; i < p.m * p.n; i += step) {
    const long long row = i / p.n, col = i % p.n;
    double even = 0, odd = 0;
    if (p.alpha != 0) {
      long long q = 0;
      for (; q + 1 < p.k; q += 2) {
        even += p.A[row * p.lda + q] * p.B[q * p.ldb + col];
        odd += p.A[row * p.lda + q + 1] * p.B[(q + 1) * p.ldb + col];
      }
      if (q < p.k) even += p.A[row * p.lda + q] * p.B[q * p.ldb + col];
    }
    p.finish(row, col, even + odd);
  }
}

__global__ void walk_tiles(Problem p) {
  __shared__ double At[side][side + 1];  // (k, row)
  __shared__ double Bs[side][side];      // (k, col)
  const int x = threadIdx.x % side, y = threadIdx.x / side;
  for (long long t = blockIdx.x; t < p.tiles_down() * p.tiles_across(); t += gridDim.x) {
    const long long row0 = t % p.tiles_down() * side, col0 = t / p.tiles_down() * side;
    const int height = int(min(side, p.m - row0)), width = int(min(side, p.n - col0));
    double sum = 0;
    for (long long first = 0; p.alpha != 0 && first < p.k; first += side) {
      const int depth = int(min(side, p.k - first));
      if (first > 0) __syncthreads();
      if (y < height && x < depth) At[x][y] = p.A[(row0 + y) * p.lda + first + x];
      if (y < depth && x < width) Bs[y][x] = p.B[(first + y) * p.ldb + col0 + x];
      __syncthreads();
      // Nothing lies beyond the edge, so nothing is read there.
      if (y < height && x < width) {
        for (int q = 0; q < depth; ++q) sum += At[q][y] * Bs[q][x];
      }
    }
    __syncthreads();
    if (y < height && x < width) p.finish(row0 + y, col0 + x, sum);
  }
}

cudaError_t dgemm_global(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  const Problem problem{m, n, k, alpha, A, lda, B, ldb, beta, C, ldc};
  if (const cudaError_t error = problem.check()) return error;
  const long long blocks = (problem.m * problem.n + threads - 1) / threads;
  if (blocks == 0) return cudaSuccess;
  walk_elements<<<unsigned(std::min(blocks, most_blocks)), threads>>>(problem);
  return cudaGetLastError();
}

cudaError_t dgemm_shared(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  const Problem problem{m, n, k, alpha, A, lda, B, ldb, beta, C, ldc};
  if (const cudaError_t error = problem.check()) return error;
  const long long tiles = problem.tiles_down() * problem.tiles_across();
  if (tiles == 0) return cudaSuccess;
  walk_tiles<<<unsigned(std::min(tiles, most_blocks)), threads>>>(problem);
  return cudaGetLastError();
}
