// A kernel for each tile, each with its own way to declare shared arrays: jumped over by a goto, in
// one case of a switch, used by a local class, of the type of another. Launches are hidden from the
// editor by macros, as Visual Studio's users do.
#include <type_traits>

#include "matmul_shared.hpp"

#ifdef __CUDACC__
#define KERNEL_ARGS(grid, block) <<<grid, block>>>
#else
#define KERNEL_ARGS(grid, block)
#endif

#define AT(matrix, row, col) ((row) < n && (col) < n ? (matrix)[(size_t)(row) * n + (col)] : 0.0f)
#define TILE(name) name[T][T]

namespace {

constexpr unsigned tiles(int n, int tile) { return static_cast<unsigned>((n + tile - 1) / tile); }

template <int T>
__global__ void with_goto(const float* A, const float* B, float* C, int n) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  int start = 0;
  if (blockIdx.x * T >= static_cast<unsigned>(n)) goto done;
  __shared__ float TILE(As), TILE(Bs);
next:
  As[y][x] = AT(A, row, start + x);
  Bs[y][x] = AT(B, start + y, col);
  __syncthreads();
  for (int k = 0; k < T; ++k) sum += As[y][k] * Bs[k][x];
  __syncthreads();
  if ((start += T) < n) goto next;
done:
  if (row < n && col < n) C[static_cast<size_t>(row) * n + col] = sum;
}

template <int T>
__global__ void in_a_case(const float* A, const float* B, float* C, int n, int mode) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  switch (mode) {
    case 0:
      __shared__ float As[T][T], Bs[T][T];
      for (int start = 0; start < n; start += T) {
        As[y][x] = AT(A, row, start + x);
        Bs[y][x] = AT(B, start + y, col);
        __syncthreads();
        for (int k = 0; k < T; ++k) sum += As[y][k] * Bs[k][x];
        __syncthreads();
      }
      break;
    default:
      return;
  }
  if (row < n && col < n) C[static_cast<size_t>(row) * n + col] = sum;
}

template <int T>
__global__ void with_local_class(const float* A, const float* B, float* C, int n) {
  __shared__ float As[T][T];
  __shared__ float Bs[T][T];
  struct Loader {
    const float* matrix;
    int n;
    __device__ void load_a(int row, int col) const {
      As[threadIdx.y][threadIdx.x] = AT(matrix, row, col);
    }
    __device__ void load_b(int row, int col) const {
      Bs[threadIdx.y][threadIdx.x] = AT(matrix, row, col);
    }
  };
  const Loader a{A, n}, b{B, n};
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  for (int start = 0; start < n; start += T) {
    a.load_a(row, start + x);
    b.load_b(start + y, col);
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += As[y][k] * Bs[k][x];
    __syncthreads();
  }
  if (row < n && col < n) C[static_cast<size_t>(row) * n + col] = sum;
}

#define TWO_TILES(first, second) __shared__ float first; __shared__ decltype(As) second

template <int T>
__global__ void of_another_type(const float* A, const float* B, float* C, int n) {
  TWO_TILES(As[T][T], Bs);
  using Tile = decltype(As);
  static_assert(sizeof(Tile) == T * T * sizeof(float) && std::rank_v<Tile> == 2);
  constexpr int side = std::extent_v<decltype(Bs), 1>;
  Tile* const a = &As;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * side + y, col = blockIdx.x * side + x;
  std::remove_all_extents_t<Tile> sum = 0;
  for (int start = 0; start < n; start += side) {
    (*a)[y][x] = AT(A, row, start + x);
    Bs[y][x] = AT(B, start + y, col);
    __syncthreads();
    for (int k = 0; k < side; ++k) sum += (*a)[y][k] * Bs[k][x];
    __syncthreads();
  }
  if (row < n && col < n) C[static_cast<size_t>(row) * n + col] = sum;
}

}  // namespace

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (tile != 8 && tile != 16 && tile != 22 && tile != 32) return cudaErrorInvalidValue;
  if (n < 0 || (n > 0 && (!A || !B || !C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const dim3 grid(tiles(n, tile), tiles(n, tile)), block(tile, tile);
  if (tile == 8) with_goto<8> KERNEL_ARGS(grid, block)(A, B, C, n);
  if (tile == 16) in_a_case<16> KERNEL_ARGS(grid, block)(A, B, C, n, 0);
  if (tile == 22) with_local_class<22> KERNEL_ARGS(grid, block)(A, B, C, n);
  if (tile == 32) of_another_type<32> KERNEL_ARGS(grid, block)(A, B, C, n);
  return cudaGetLastError();
}
