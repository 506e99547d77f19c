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
  // lab: begin sum up the products of tiles, four elements at a time
  // (k, row), four elements longer than it need be: a thread stores four neighbours of a row of A
  // below each other, and 4 * 132 = 16 mod 32 puts the two that share a row into different banks.
  constexpr int as_row = side + 4;
  __shared__ __align__(16) float As[depth][as_row];
  __shared__ __align__(16) float Bs[depth][side];  // (k, col)

  // Who brings what of 8 columns of A and 8 rows of B: two threads share a row of A, 32 one of B.
  constexpr int at_a_time = 8;
  const int a_row = t / 2, a_k = t % 2 * 4;
  const int b_k = t / 32, b_col = t % 32 * 4;

  for (int k0 = 0; k0 < n; k0 += depth) {
#pragma unroll
    for (int k = 0; k < depth; k += at_a_time) {
      const int k_of_a = k0 + k + a_k, k_of_b = k0 + k + b_k;
      const float* const from_a = A + std::size_t(row0 + a_row) * n + k_of_a;
      const float* const from_b = B + std::size_t(k_of_b) * n + col0 + b_col;
      store_transposed<as_row>(&As[k + a_k][a_row],
                               load_four<aligned>(from_a, row0 + a_row < n ? n - k_of_a : 0));
      *reinterpret_cast<float4*>(&Bs[k + b_k][b_col]) =
          load_four<aligned>(from_b, k_of_b < n ? n - col0 - b_col : 0);
    }
    __syncthreads();  // every thread reads what others brought
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      float a[results], b[results];
      load_factors<results, apart>(a, &As[k][row]);
      load_factors<results, apart>(b, &Bs[k][col]);
      add_outer_product(sum, a, b);
    }
    __syncthreads();  // the next step overwrites the tiles
  }
  // lab: end
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
  // lab: begin sum up the products of warp tiles, with the next factors on their way
  // Two pairs of tiles: while one is read the other is filled.
  __shared__ __align__(16) float As[2][T::depth][T::as_row];  // (k, row)
  __shared__ __align__(16) float Bs[2][T::depth][T::cols];    // (k, col)

  const int a_row = t / 2, a_k = t % 2 * 4;
  const int b_k = t / 32, b_col = t % 32 * 4;
  // Below the last row of A that one is fetched again: nobody stores what comes of it.
  const float* from_a = A + std::size_t(min(row0 + a_row, n - 1)) * n + a_k;
  const float* from_b = B + std::size_t(b_k) * n + col0 + b_col;
  float4 next_a, next_b;  // what this thread brings of the next pair, on its way to registers
  // Asks for the next columns of A and rows of B, of which so many exist.
  const auto fetch = [&](int exist) {
    next_a = load_four<aligned>(from_a, exist - a_k);
    next_b = load_four<aligned>(from_b, exist == T::depth || b_k < exist ? n - col0 - b_col : 0);
    from_a += exist;
    from_b += std::size_t(exist) * n;
  };
  const auto put = [&](int pair) {
    store_transposed<T::as_row>(&As[pair][a_k][a_row], next_a);
    *reinterpret_cast<float4*>(&Bs[pair][b_k][b_col]) = next_b;
  };

  // Two sets of factors: one is multiplied, the other is on its way from shared memory.
  float a[2][T::thread_rows], b[2][T::thread_cols];
  const auto load = [&](int pair, int k) {
    load_factors<T::thread_rows, T::rows_apart>(a[k % 2], &As[pair][k][row]);
    load_factors<T::thread_cols, T::cols_apart>(b[k % 2], &Bs[pair][k][col]);
  };
  const auto multiply_pair = [&](int pair, bool goes_on) {
    if (goes_on) fetch(T::depth);
#pragma unroll
    for (int k = 0; k < T::depth; ++k) {
      if (k + 1 < T::depth) {
        load(pair, k + 1);
      } else if (goes_on) {
        put(pair ^ 1);
        __syncthreads();  // the next pair is complete, and nobody reads this one any more
        load(pair ^ 1, 0);
      }
      add_outer_product(sum, a[k % 2], b[k % 2]);
    }
  };

  // The first pair takes what is left over of n, so that all others are whole.
  const int steps = (n + T::depth - 1) / T::depth;
  fetch(n - (steps - 1) * T::depth);
  put(0);
  __syncthreads();
  load(0, 0);
  for (int step = 0; step + 1 < steps; ++step) multiply_pair(step % 2, true);
  multiply_pair((steps - 1) % 2, false);
  // lab: end
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
  // lab: begin sum up the products of warp tiles, with the next tiles on their way
  struct Pair {
    float A[T::depth][T::as_row];  // (k, row)
    float B[T::depth][T::cols];    // (k, col)
  };
  __shared__ __align__(16) Pair pairs[stages];

  // A copy can only transpose if it is of one element: eight lanes along a row of A, four rows a
  // warp, and rows of 132 = 4 mod 32 put them into 32 different banks.
  constexpr int a_rows = T::threads / T::depth;  // that all threads copy at a time
  const int a_row = t / T::depth, a_k = t % T::depth;
  // Copies of B are of four elements, or of one where rows are not aligned.
  constexpr int run = aligned ? 4 : 1;
  constexpr int b_rows = T::threads * run / T::cols;
  const int b_k = t / (T::cols / run), b_col = t % (T::cols / run) * run;

  // Beyond the edges the last row and column are copied again: nobody stores what comes of them.
  const float* next_a = A + std::size_t(row0) * n + a_k;
  const float* next_b = B + std::size_t(b_k) * n + min(col0 + b_col, n - run);
  unsigned to_row[T::rows / a_rows];  // from next_a to the thread's rows of A
#pragma unroll
  for (int i = 0; i < T::rows / a_rows; ++i) {
    to_row[i] = static_cast<unsigned>(min(a_row + i * a_rows, n - 1 - row0)) * n;
  }
  // Begins to copy the next columns of A and rows of B, of which so many exist.
  const auto copy = [&](Pair& to, int exist) {
#pragma unroll
    for (int i = 0; i < T::rows / a_rows; ++i) {
      const bool exists = exist == T::depth || a_k < exist;
      tilewise::ptx::cp_async<4>(&to.A[a_k][a_row + i * a_rows], exists ? next_a + to_row[i] : A,
                                 exists ? 4 : 0);
    }
#pragma unroll
    for (int i = 0; i < T::depth; i += b_rows) {
      const bool exists = exist == T::depth || b_k + i < exist;
      tilewise::ptx::cp_async<4 * run>(
          &to.B[b_k + i][b_col], exists ? next_b + std::size_t(i) * n : B, exists ? 4 * run : 0);
    }
    next_a += exist;
    next_b += std::size_t(exist) * n;
  };

  float a[2][T::thread_rows], b[2][T::thread_cols];
  const auto load = [&](const Pair& from, int k) {
    load_factors<T::thread_rows, T::rows_apart>(a[k % 2], &from.A[k][row]);
    load_factors<T::thread_cols, T::cols_apart>(b[k % 2], &from.B[k][col]);
  };
  const auto after = [](int pair) { return pair + 1 < stages ? pair + 1 : 0; };
  int now = 0, before = stages - 1;  // the pair that is multiplied, and the one before it
  const auto multiply_pair = [&](bool copies, bool goes_on) {
    const int next = after(now);
#pragma unroll
    for (int k = 0; k < T::depth; ++k) {
      if (k == 0) {
        // Long before its first factors are wanted: behind this barrier the next pair is complete,
        // and nobody reads the one before this any more.
        tilewise::ptx::cp_async_wait<stages - 3>();
        __syncthreads();
        if (copies) copy(pairs[before], T::depth);
        tilewise::ptx::cp_async_commit();
      }
      if (k + 1 < T::depth) {
        load(pairs[now], k + 1);
      } else if (goes_on) {
        load(pairs[next], 0);
      }
      add_outer_product_by_columns(sum, a[k % 2], b[k % 2]);
    }
    before = after(before);
    now = next;
  };

  // The first pair takes what is left over of n, so that all others are whole.
  const int steps = (n + T::depth - 1) / T::depth;
  copy(pairs[0], n - (steps - 1) * T::depth);
  tilewise::ptx::cp_async_commit();
  for (int step = 1; step < stages - 1; ++step) {
    if (step < steps) copy(pairs[step], T::depth);
    tilewise::ptx::cp_async_commit();  // an empty group, too: a wait counts groups
  }
  tilewise::ptx::cp_async_wait<stages - 2>();
  __syncthreads();
  load(pairs[0], 0);
  // Two loops, so that the one that takes the time asks no questions.
  int step = 0;
  for (; step + stages - 1 < steps; ++step) multiply_pair(true, true);
  for (; step < steps; ++step) multiply_pair(false, step + 1 < steps);
  move_to_other_registers(sum);
  // lab: end
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
