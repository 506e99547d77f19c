// Stage 11: block tiles, warp tiles, thread tiles, and tiles that come by themselves.

#include "matmul_warp_tiles.hpp"

#include <cstddef>
#include <cstdint>

#include "tilewise/ptx.hpp"

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
//
// `aligned`: rows begin at multiples of 16 bytes, and n is a multiple of 4. Then four neighbours
// move at once; else one at a time.

constexpr int warp_size = 32;

// Four neighbours of a row, of which so many exist; zeros for the others.
template <bool aligned>
__device__ float4 load_four(const float* from, int exist) {
  float four[4] = {};
  if (aligned) {
    if (exist > 0) return *reinterpret_cast<const float4*>(from);
  } else {
    for (int i = 0; i < 4; ++i) {
      if (i < exist) four[i] = from[i];
    }
  }
  return make_float4(four[0], four[1], four[2], four[3]);
}

template <bool aligned>
__device__ void store_four(float* to, const float* four, int exist) {
  if (aligned) {
    if (exist <= 0) return;
    *reinterpret_cast<float4*>(to) = make_float4(four[0], four[1], four[2], four[3]);
  } else {
    for (int i = 0; i < 4; ++i) {
      if (i < exist) to[i] = four[i];
    }
  }
}

// Four elements of a row of A become a part of a column of a tile (k, row), whose rows lie so many
// elements apart.
template <int apart>
__device__ void store_transposed(float* to, float4 four) {
  to[0] = four.x;
  to[apart] = four.y;
  to[2 * apart] = four.z;
  to[3 * apart] = four.w;
}

// A thread's factors of one k: runs of four from shared memory, `apart` elements from one another.
template <int count, int apart>
__device__ void load_factors(float (&factors)[count], const float* from) {
#pragma unroll
  for (int i = 0; i < count; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i / 4 * apart);
    factors[i] = four.x;
    factors[i + 1] = four.y;
    factors[i + 2] = four.z;
    factors[i + 3] = four.w;
  }
}

// sum += a * b, column by row.
template <int rows, int cols>
__device__ void add_outer_product(float (&sum)[rows][cols], const float (&a)[rows],
                                  const float (&b)[cols]) {
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < cols; ++j) sum[i][j] += a[i] * b[j];
  }
}

// Results of a thread: runs of four rows, rows_apart from one another, and the same of columns.
// (row0, col0): the first of them.
template <bool aligned, int rows_apart, int cols_apart, int rows, int cols>
__device__ void store_results(float* C, int row0, int col0, int n, const float (&sum)[rows][cols]) {
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const int row = row0 + i / 4 * rows_apart + i % 4;
    if (row >= n) continue;
#pragma unroll
    for (int j = 0; j < cols; j += 4) {
      const int col = col0 + j / 4 * cols_apart;
      store_four<aligned>(C + std::size_t(row) * n + col, &sum[i][j], n - col);
    }
  }
}

// --- 1. Vectors ---

// A block of 16 x 16 threads computes 128 x 128 results, a thread 8 x 8 of them: rows 4 ty and
// 64 + 4 ty and the three below each, columns 4 tx and 64 + 4 tx and the three beside each.
constexpr int side = 128;     // of a block's tile of C
constexpr int depth = 16;     // columns of A, rows of B a step
constexpr int results = 8;    // of a thread along each side
constexpr int apart = 64;     // one run of four from the other
constexpr int threads = 256;  // 16 x 16

template <bool aligned>
__global__ __launch_bounds__(threads, 2) void vectorized_kernel(const float* A, const float* B,
                                                                float* C, int n) {
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * side, col0 = blockIdx.x * side;  // of the block's tile
  const int row = t / 16 * 4, col = t % 16 * 4;                  // of the thread's, in that

  float sum[results][results] = {};
  // TODO(lab): sum up the products of tiles, four elements at a time (27 lines)
  store_results<aligned, apart, apart>(C, row0 + row, col0 + col, n, sum);
}

// --- 2. Warp tiles ---

// From the tile of a block to that of a thread. Lanes of a warp stand in LaneRows rows, and each
// has runs of four results, which lie as far apart as the lanes' runs beside each other reach.
template <int Rows, int Cols, int Depth, int ThreadRows, int ThreadCols, int LaneRows>
struct Tiling {
  static constexpr int rows = Rows;  // of C, a block
  static constexpr int cols = Cols;
  static constexpr int depth = Depth;             // columns of A, rows of B a step
  static constexpr int thread_rows = ThreadRows;  // of C, a thread
  static constexpr int thread_cols = ThreadCols;
  static constexpr int lane_rows = LaneRows;
  static constexpr int lane_cols = warp_size / LaneRows;
  static constexpr int rows_apart = 4 * lane_rows;  // one run of four of a thread from the next
  static constexpr int cols_apart = 4 * lane_cols;
  static constexpr int warp_rows = thread_rows * lane_rows;  // of C, a warp
  static constexpr int warp_cols = thread_cols * lane_cols;
  static constexpr int warps_along_x = cols / warp_cols;
  static constexpr int threads = warp_size * warps_along_x * (rows / warp_rows);
  // A row (k) of the tile of A in shared memory is longer than it need be: 132 = 4 mod 32.
  static constexpr int as_row = rows + 4;

  // Where the first result of a thread lies in the block's tile.
  static __device__ int first_row() {
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
    return warp / warps_along_x * warp_rows + lane / lane_cols * 4;
  }
  static __device__ int first_col() {
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
    return warp % warps_along_x * warp_cols + lane % lane_cols * 4;
  }
};

// Blocks of 128 x 128 results; 4 x 2 warps of 32 x 64; 4 x 8 lanes of 8 x 8.
using WarpTiling = Tiling<128, 128, 8, 8, 8, 4>;

template <bool aligned>
__global__ __launch_bounds__(WarpTiling::threads, 2) void warp_tiles_kernel(const float* A,
                                                                            const float* B,
                                                                            float* C, int n) {
  using T = WarpTiling;
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * T::rows, col0 = blockIdx.x * T::cols;
  const int row = T::first_row(), col = T::first_col();  // in the block's tile

  float sum[T::thread_rows][T::thread_cols] = {};
  // TODO(lab): sum up the products of warp tiles, with the next factors on their way (43 lines)
  store_results<aligned, T::rows_apart, T::cols_apart>(C, row0 + row, col0 + col, n, sum);
}

// --- 3. Asynchronous copies ---

// Blocks of 128 x 256 results; 4 x 2 warps of 32 x 128; 4 x 8 lanes of 8 x 16. One block an SM,
// which has a quarter of the registers for sums alone.
using AsyncTiling = Tiling<128, 256, 8, 8, 16, 4>;

constexpr int stages = 3;  // pairs of tiles: one is read, the others are on their way

// sum += a * b, as it suits registers. They lie in two banks, and a multiply-add waits a clock
// where two of its operands come from the same one. Down one column and up the next, each has a
// factor in common with the one before, which is still at the multiplier's input.
template <int rows, int cols>
__device__ void add_outer_product_by_columns(float (&sum)[rows][cols], const float (&a)[rows],
                                             const float (&b)[cols]) {
#pragma unroll
  for (int j = 0; j < cols; ++j) {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      const int row = j % 2 == 0 ? i : rows - 1 - i;
      sum[row][j] += a[row] * b[j];
    }
  }
}

// Adding nothing gives results new registers. Four that are stored together must be neighbours, as
// four factors that are loaded together: sums that are stored as they are share banks with these.
template <int rows, int cols>
__device__ void move_to_other_registers(float (&sum)[rows][cols]) {
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < cols; ++j) sum[i][j] += 0.0f;
  }
}

template <bool aligned>
__global__ __launch_bounds__(AsyncTiling::threads,
                             1) void async_kernel(const float* A, const float* B, float* C, int n) {
  using T = AsyncTiling;
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * T::rows, col0 = blockIdx.x * T::cols;
  const int row = T::first_row(), col = T::first_col();  // in the block's tile

  float sum[T::thread_rows][T::thread_cols] = {};
  // TODO(lab): sum up the products of warp tiles, with the next tiles on their way (74 lines)
  store_results<aligned, T::rows_apart, T::cols_apart>(C, row0 + row, col0 + col, n, sum);
}

// --- The functions ---

static int divide_up(int count, int unit) { return (count + unit - 1) / unit; }

static bool is_valid(const float* A, const float* B, const float* C, int n) {
  return n == 0 || (n > 0 && A && B && C);
}

static bool rows_are_aligned(const float* A, const float* B, const float* C, int n) {
  const auto is_round = [](const float* matrix) {
    return reinterpret_cast<std::uintptr_t>(matrix) % sizeof(float4) == 0;
  };
  return n % 4 == 0 && is_round(A) && is_round(B) && is_round(C);
}

// They came with compute capability 8.0.
static bool has_asynchronous_copies() {
  int device = 0, major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major >= 8;
}

cudaError_t matmul_vectorized(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
  const dim3 grid(divide_up(n, side), divide_up(n, side));
  if (rows_are_aligned(A, B, C, n)) {
    vectorized_kernel<true><<<grid, threads>>>(A, B, C, n);
  } else {
    vectorized_kernel<false><<<grid, threads>>>(A, B, C, n);
  }
  return cudaGetLastError();
}

cudaError_t matmul_warp_tiles(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const dim3 grid(divide_up(n, WarpTiling::cols), divide_up(n, WarpTiling::rows));
  if (rows_are_aligned(A, B, C, n)) {
    warp_tiles_kernel<true><<<grid, WarpTiling::threads>>>(A, B, C, n);
  } else {
    warp_tiles_kernel<false><<<grid, WarpTiling::threads>>>(A, B, C, n);
  }
  return cudaGetLastError();
}

cudaError_t matmul_async(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!has_asynchronous_copies()) return cudaErrorNotSupported;
  const dim3 grid(divide_up(n, AsyncTiling::cols), divide_up(n, AsyncTiling::rows));
  if (rows_are_aligned(A, B, C, n)) {
    async_kernel<true><<<grid, AsyncTiling::threads>>>(A, B, C, n);
  } else {
    async_kernel<false><<<grid, AsyncTiling::threads>>>(A, B, C, n);
  }
  return cudaGetLastError();
}
