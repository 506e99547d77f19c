// Threads whose columns are neighbours: four elements of B in one load, four results in one store,
// where n is a multiple of 4. Tiles lie in dynamic shared memory; that of A is read four rows at a
// time, and so are both tiles of the kernel with a transposed one, whose rows are 4 elements
// longer.

#include "matmul_rank1.hpp"

#include <cstddef>

extern __shared__ float4 scratch[];

__device__ float* tiles() { return reinterpret_cast<float*>(scratch); }

__device__ float element(const float* M, int row, int col, int n) {
  return row < n && col < n ? M[std::size_t(row) * n + col] : 0.0f;
}

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

__global__ void two_rows(const float* A, const float* B, float* C, int n) {
  float* const As = tiles();
  float* const Bs = As + 32 * 32;
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
  float2 sums = {0, 0};
  for (int first = 0; first < n; first += 32) {
    if (first > 0) __syncthreads();
    for (int below = 0; below < 32; below += 16) {
      As[(y + below) * 32 + x] = element(A, row + below, first + x, n);
      Bs[(y + below) * 32 + x] = element(B, first + y + below, col, n);
    }
    __syncthreads();
    const float* a = As + y * 32;
    for (const float* b = Bs + x; b < Bs + 32 * 32; b += 32, ++a) {
      const float factor = *b;
      sums.x += a[0] * factor;
      sums.y += a[16 * 32] * factor;
    }
  }
  if (col >= n) return;
  if (row < n) C[std::size_t(row) * n + col] = sums.x;
  if (row + 16 < n) C[std::size_t(row + 16) * n + col] = sums.y;
}

__global__ void two_rows_transposed(const float* A, const float* B, float* C, int n) {
  constexpr int pitch = 36;
  float* const As = tiles();
  float* const Bt = As + 32 * pitch;  // (col, k)
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
  float sums[2] = {0, 0};
  for (int first = 0; first < n; first += 32) {
    if (first > 0) __syncthreads();
    for (int below = 0; below < 32; below += 16) {
      As[(y + below) * pitch + x] = element(A, row + below, first + x, n);
      Bt[x * pitch + y + below] = element(B, first + y + below, col, n);
    }
    __syncthreads();
    for (int k = 0; k < 32; k += 4) {
      const auto four = [&](const float* tile, int line) {
        return *reinterpret_cast<const float4*>(tile + line * pitch + k);
      };
      const float4 b = four(Bt, x);
      sums[0] += dot(four(As, y), b);
      sums[1] += dot(four(As, y + 16), b);
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (row + 16 * i < n && col < n) C[std::size_t(row + 16 * i) * n + col] = sums[i];
  }
}

constexpr int rows = 32, threads = 64, depth = 8;

// Width: neighbouring columns of a thread, and elements of a load.
template <int Width>
struct alignas(Width * sizeof(float)) Group {
  float of[Width];
};

template <int Width>
__global__ void rank1(const float* A, const float* B, float* C, int n) {
  float* const At = tiles();  // (k, row)
  const int top = blockIdx.y * rows, left = (blockIdx.x * threads + threadIdx.x) * Width;
  Group<Width> sums[rows] = {};
  for (int first = 0; first < n; first += depth) {
    for (int at = threadIdx.x; at < rows * depth; at += threads) {
      At[at % depth * rows + at / depth] = element(A, top + at / depth, first + at % depth, n);
    }
    __syncthreads();
    const int last = min(depth, n - first);
    for (int k = 0; k < last && left < n; ++k) {
      const auto b = *reinterpret_cast<const Group<Width>*>(B + std::size_t(first + k) * n + left);
#pragma unroll
      for (int row = 0; row < rows; row += 4) {
        const float4 a = *reinterpret_cast<const float4*>(At + k * rows + row);
        const float of_row[] = {a.x, a.y, a.z, a.w};
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < Width; ++j) sums[row + i].of[j] += of_row[i] * b.of[j];
        }
      }
    }
    __syncthreads();
  }
  if (left >= n) return;
  for (int row = 0; row < rows && top + row < n; ++row) {
    *reinterpret_cast<Group<Width>*>(C + std::size_t(top + row) * n + left) = sums[row];
  }
}

static bool refuses(const float* A, const float* B, const float* C, int n) {
  return n < 0 || (n > 0 && (!A || !B || !C));
}

static unsigned blocks(int n, int side) { return n / side + (n % side != 0); }

cudaError_t matmul_two_rows(const float* A, const float* B, float* C, int n) {
  if (refuses(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const dim3 grid(blocks(n, 32), blocks(n, 32));
  two_rows<<<grid, 512, 2 * 32 * 32 * sizeof(float)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_two_rows_transposed(const float* A, const float* B, float* C, int n) {
  if (refuses(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const dim3 grid(blocks(n, 32), blocks(n, 32));
  two_rows_transposed<<<grid, 512, 2 * 32 * 36 * sizeof(float)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_rank1(const float* A, const float* B, float* C, int n) {
  if (refuses(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  constexpr std::size_t bytes = rows * depth * sizeof(float);
  if (n % 4 == 0) {
    rank1<4><<<dim3(blocks(n, 4 * threads), blocks(n, rows)), threads, bytes>>>(A, B, C, n);
  } else {
    rank1<1><<<dim3(blocks(n, threads), blocks(n, rows)), threads, bytes>>>(A, B, C, n);
  }
  return cudaGetLastError();
}
