// Stage 12, first part: C = A * B by tensor cores, which multiply small matrices at a time.

#include "matmul_tensor.hpp"

#include <mma.h>

#include <cstddef>

#include "tilewise/ptx.hpp"

namespace ptx = tilewise::ptx;

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
//
// lane: of a warp; g = lane / 4 and t = lane % 4 say which elements of an operand it holds
// (tilewise/ptx.hpp).

// What moves at a time lies in units of 16 bytes: 8 halves or 4 floats. Where n is a multiple of
// that, rows begin at units; otherwise their elements have to be copied one by one.
template <class T>
constexpr int unit_of = 16 / sizeof(T);

// Edges of what blocks, and their warps, compute of C, in elements. In each step a block takes
// Depth columns of A and as many rows of B, and Stages of these tiles have room.
template <class T, int Rows, int Cols, int Depth, int WarpRows, int WarpCols, int Stages>
struct Shape {
  using Element = T;
  static constexpr int rows = Rows, cols = Cols, depth = Depth, stages = Stages;
  static constexpr int warp_rows = WarpRows, warp_cols = WarpCols;
  static constexpr int warps_down = Rows / WarpRows, warps_across = Cols / WarpCols;
  static constexpr int threads = warps_down * warps_across * 32;
  static constexpr int a_units = Depth / unit_of<T>, b_units = Cols / unit_of<T>;  // of a row
  static constexpr int a_elements = Rows * Depth, b_elements = Depth * Cols;
  static constexpr int shared_bytes = Stages * (a_elements + b_elements) * int(sizeof(T));
};

struct Place {
  int row, col;
};

static __host__ __device__ int divide_up(int count, int unit) { return (count + unit - 1) / unit; }

// The corner of what a block computes. Blocks that run at the same time lie in `group` rows of
// blocks, nearly a square of C, so that they share most of what they fetch in the L2 cache.
template <class S>
__device__ Place corner_of_block(int n) {
  constexpr int group = 16;
  const int down = divide_up(n, S::rows), across = divide_up(n, S::cols);
  const int of_group = int(blockIdx.x) / (group * across), at = int(blockIdx.x) % (group * across);
  const int rows = min(group, down - of_group * group);  // the last group may have fewer
  return {(of_group * group + at % rows) * S::rows, at / rows * S::cols};
}

// ---- matmul_wmma: fragments --------------------------------------------------------------------

using Wmma = Shape<__half, 128, 128, 32, 64, 32, 1>;

template <bool aligned>
__global__ __launch_bounds__(Wmma::threads) void wmma_kernel(const __half* A, const __half* B,
                                                             float* C, int n) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700  // before, there are no fragments
  // lab: begin multiply fragments from tiles in shared memory
  using namespace nvcuda::wmma;
  using S = Wmma;
  constexpr int side = 16, unit = unit_of<__half>;  // of a fragment; of a copy
  // A unit more in each row: rows below each other begin in different banks.
  __shared__ __align__(128) __half As[S::rows][S::depth + unit];  // (row, k)
  __shared__ __align__(128) __half Bs[S::depth][S::cols + unit];  // (k, col)
  __shared__ __align__(128) float edge[S::threads / 32][side][side];

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * S::rows, col0 = blockIdx.x * S::cols;
  const int row_of_warp = warp % S::warps_down * S::warp_rows;
  const int col_of_warp = warp / S::warps_down * S::warp_cols;

  // A unit of a matrix, zeros beyond its edges.
  const auto fetch = [n](const __half* from, int row, int col) {
    union {
      uint4 all;
      __half each[unit];
    } fetched = {};
    if constexpr (aligned) {
      if (row < n && col < n) {
        fetched.all = *reinterpret_cast<const uint4*>(&from[std::size_t(row) * n + col]);
      }
    } else {
      for (int i = 0; i < unit && row < n && col + i < n; ++i) {
        fetched.each[i] = from[std::size_t(row) * n + col + i];
      }
    }
    return fetched.all;
  };

  fragment<accumulator, side, side, side, float> sum[S::warp_rows / side][S::warp_cols / side];
  for (auto& of_row : sum) {
    for (auto& each : of_row) fill_fragment(each, 0.0f);
  }
  for (int k0 = 0; k0 < n; k0 += S::depth) {
#pragma unroll
    for (int i = 0; i < S::rows * S::a_units; i += S::threads) {
      const int at = i + threadIdx.x, row = at / S::a_units, k = at % S::a_units * unit;
      *reinterpret_cast<uint4*>(&As[row][k]) = fetch(A, row0 + row, k0 + k);
    }
#pragma unroll
    for (int i = 0; i < S::depth * S::b_units; i += S::threads) {
      const int at = i + threadIdx.x, k = at / S::b_units, col = at % S::b_units * unit;
      *reinterpret_cast<uint4*>(&Bs[k][col]) = fetch(B, k0 + k, col0 + col);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < S::depth; k += side) {
      fragment<matrix_a, side, side, side, __half, row_major> a[S::warp_rows / side];
      fragment<matrix_b, side, side, side, __half, row_major> b[S::warp_cols / side];
#pragma unroll
      for (int i = 0; i < S::warp_rows / side; ++i) {
        load_matrix_sync(a[i], &As[row_of_warp + i * side][k], S::depth + unit);
      }
#pragma unroll
      for (int j = 0; j < S::warp_cols / side; ++j) {
        load_matrix_sync(b[j], &Bs[k][col_of_warp + j * side], S::cols + unit);
      }
#pragma unroll
      for (int i = 0; i < S::warp_rows / side; ++i) {
#pragma unroll
        for (int j = 0; j < S::warp_cols / side; ++j) mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < S::warp_rows / side; ++i) {
#pragma unroll
    for (int j = 0; j < S::warp_cols / side; ++j) {
      const int row = row0 + row_of_warp + i * side, col = col0 + col_of_warp + j * side;
      if (aligned && row + side <= n && col + side <= n) {
        store_matrix_sync(&C[std::size_t(row) * n + col], sum[i][j], n, mem_row_major);
        continue;
      }
      // Nobody knows which lane holds which element: what hangs over goes by shared memory.
      store_matrix_sync(&edge[warp][0][0], sum[i][j], side, mem_row_major);
      __syncwarp();
      for (int at = lane; at < side * side; at += 32) {
        const int r = row + at / side, c = col + at % side;
        if (r < n && c < n) C[std::size_t(r) * n + c] = edge[warp][at / side][at % side];
      }
      __syncwarp();
    }
  }
  // lab: end
#endif
}

// ---- tiles on their way ------------------------------------------------------------------------

// lab: begin (further on) copy tiles of A and B into shared memory, several steps ahead
// Copies a unit of which `count` elements exist. Zeros in place of the others add nothing to a sum.
template <bool aligned, class T>
__device__ void copy_unit(T* to, const T* from, int count) {
  if constexpr (aligned) {  // a unit exists or does not
    ptx::cp_async<16>(to, from, count > 0 ? 16 : 0);
  } else {
#pragma unroll
    for (int i = 0; i < unit_of<T>; ++i) {
      if constexpr (sizeof(T) == 4) {
        ptx::cp_async<4>(to + i, from + i, i < count ? 4 : 0);
      } else {  // there are no asynchronous copies of 2 bytes
        to[i] = i < count ? from[i] : T(0.0f);
      }
    }
  }
}

// A thread's share of the tiles that a block fetches, step by step. S says where in a tile a unit
// is kept: S::a(row, unit) and S::b(k, unit), in units. 8 rows further down it is the same place.
template <class S, bool aligned>
struct Feed {
  using T = typename S::Element;
  static constexpr int unit = unit_of<T>;
  // Neighbouring threads copy neighbouring units, and each those of rows this far apart:
  static constexpr int a_rows = S::threads / S::a_units, b_rows = S::threads / S::b_units;
  static_assert(a_rows % 8 == 0 && b_rows % 8 == 0);

  T* tiles;  // of all stages: (rows, depth) of A, then (depth, cols) of B
  int n;
  const T *a, *b;  // this thread's first unit in the next step's tiles, and its place there:
  int a_place, b_place;
  int rows_left, cols_left;  // to the matrices' edges, from that unit
  int k_left;                // from the next step's tiles on
  int stage = 0;             // that is filled next

  __device__ Feed(T* tiles_, const T* A, const T* B, int n_, Place corner) : tiles(tiles_), n(n_) {
    const int row = int(threadIdx.x) / S::a_units, k = int(threadIdx.x) / S::b_units;
    const int a_unit = int(threadIdx.x) % S::a_units, b_unit = int(threadIdx.x) % S::b_units;
    a = A + std::size_t(corner.row + row) * n + a_unit * unit;
    b = B + std::size_t(k) * n + corner.col + b_unit * unit;
    a_place = S::a(row, a_unit) * unit;
    b_place = S::b(k, b_unit) * unit;
    rows_left = n - corner.row - row;
    cols_left = n - corner.col - b_unit * unit;
    k_left = n;
  }

  __device__ static const T* a_of(const T* tiles, int stage) {
    return tiles + stage * (S::a_elements + S::b_elements);
  }
  __device__ static const T* b_of(const T* tiles, int stage) {
    return a_of(tiles, stage) + S::a_elements;
  }
  __device__ static int after(int stage) { return stage + 1 == S::stages ? 0 : stage + 1; }

  // Begins to copy the next step's tiles, and makes a group of these copies; an empty one behind
  // the last step, so that groups can be counted.
  __device__ void begin_step() {
    if (k_left > 0) {
      T* const As = tiles + stage * (S::a_elements + S::b_elements);
      T* const Bs = As + S::a_elements;
      const int k_left_of_a = k_left - int(threadIdx.x) % S::a_units * unit;
      const int k_left_of_b = k_left - int(threadIdx.x) / S::b_units;
      const T* from = a;
#pragma unroll
      for (int row = 0; row < S::rows; row += a_rows, from += std::size_t(a_rows) * n) {
        copy_unit<aligned>(As + a_place + row * S::depth, from, row < rows_left ? k_left_of_a : 0);
      }
      a += S::depth;
      from = b;
#pragma unroll
      for (int k = 0; k < S::depth; k += b_rows, from += std::size_t(b_rows) * n) {
        copy_unit<aligned>(Bs + b_place + k * S::cols, from, k < k_left_of_b ? cols_left : 0);
      }
      b = from;
      k_left -= S::depth;
      stage = after(stage);
    }
    ptx::cp_async_commit();
  }
};
// lab: end

// ---- matmul_mma: mma.sync, ldmatrix, asynchronous copies ----------------------------------------

struct Mma : Shape<__half, 128, 256, 64, 64, 64, 3> {
  // lab: begin (further on) say where units are kept
  // 8 rows of a unit, which ldmatrix reads together, would meet in 4 banks. Unit u of row r is kept
  // at u ^ (r % 8): there they lie in all 32.
  __device__ static int a(int row, int unit) { return row * a_units + (unit ^ row % 8); }
  __device__ static int b(int k, int unit) { return k * b_units + (unit ^ k % 8); }
  // lab: end
};

template <bool aligned>
__global__ __launch_bounds__(Mma::threads) void mma_kernel(const __half* A, const __half* B,
                                                           float* C, int n) {
  // lab: begin multiply operands that ldmatrix brings from tiles on their way
  using S = Mma;
  using Tiles = Feed<S, aligned>;
  constexpr int unit = unit_of<__half>, depth = 16;                   // depth: of mma_m16n8k16
  constexpr int down = S::warp_rows / 16, across = S::warp_cols / 8;  // mma a step of 16
  extern __shared__ __align__(128) unsigned char shared[];
  __half* const tiles = reinterpret_cast<__half*>(shared);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_of_warp = warp % S::warps_down * S::warp_rows;
  const int col_of_warp = warp / S::warps_down * S::warp_cols;
  const Place corner = corner_of_block<S>(n);

  // A lane's row of 16 bytes of the first operands. k, and columns within 8 units, are multiples of
  // powers of two: what they add to the number of a unit is an exclusive or, with or without that
  // of the row.
  const int a_place = S::a(row_of_warp + lane % 16, lane / 16) * unit;
  const int b_place = S::b(lane % 16, col_of_warp / unit + lane / 16) * unit;

  float sum[down][across][4] = {};
  unsigned a[2][down][4], b[2][across][2];  // of a step of 16, and of the next one
  int stage = 0;
  const auto load = [&](int k, int into) {
    const __half* const As = Tiles::a_of(tiles, stage);
    const __half* const Bs = Tiles::b_of(tiles, stage);
#pragma unroll
    for (int i = 0; i < down; ++i) {  // 16 rows, 2 units of k
      ptx::ldmatrix_x4(a[into][i], As + (a_place ^ k) + i * 16 * S::depth);
    }
#pragma unroll
    for (int j = 0; j < across; j += 2) {  // 16 of k, 2 units of columns
      unsigned both[4];
      ptx::ldmatrix_x4_trans(both, Bs + (b_place ^ j * unit) + k * S::cols);
      b[into][j][0] = both[0], b[into][j][1] = both[1];
      b[into][j + 1][0] = both[2], b[into][j + 1][1] = both[3];
    }
  };

  Tiles feed(tiles, A, B, n, corner);
  for (int i = 0; i < S::stages - 1; ++i) feed.begin_step();
  ptx::cp_async_wait<S::stages - 2>();  // the first step has arrived,
  __syncthreads();                      // what other threads copy, too
  load(0, 0);
  for (int k0 = 0; k0 < n; k0 += S::depth) {
#pragma unroll
    for (int k = 0; k < S::depth; k += depth) {
      const int now = k / depth % 2;
      if (k + depth < S::depth) {
        load(k + depth, 1 - now);
      } else {  // all have read the tiles of this step, and wait for those of the next
        ptx::cp_async_wait<S::stages - 2>();
        __syncthreads();
        stage = Tiles::after(stage);
        if (k0 + S::depth < n) load(0, 1 - now);
      }
      if (k == 0) feed.begin_step();  // into the tiles of the step before
#pragma unroll
      for (int i = 0; i < down; ++i) {
#pragma unroll
        for (int j = 0; j < across; ++j) ptx::mma_m16n8k16(sum[i][j], a[now][i], b[now][j]);
      }
    }
  }

#pragma unroll
  for (int i = 0; i < down * 2; ++i) {
    const int row = corner.row + row_of_warp + i * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < across; ++j) {
      const int col = corner.col + col_of_warp + j * 8 + lane % 4 * 2;
      const float left = sum[i / 2][j][i % 2 * 2], right = sum[i / 2][j][i % 2 * 2 + 1];
      float* const to = &C[std::size_t(row) * n + col];
      if constexpr (aligned) {
        if (row < n && col < n) *reinterpret_cast<float2*>(to) = make_float2(left, right);
      } else {
        if (row < n && col < n) to[0] = left;
        if (row < n && col + 1 < n) to[1] = right;
      }
    }
  }
  // lab: end
}

// ---- matmul_3xtf32: single precision from tf32 --------------------------------------------------

template <int Depth>
struct Tf32 : Shape<float, 128, 128, Depth, 64, 32, 3> {
  using Base = Shape<float, 128, 128, Depth, 64, 32, 3>;
  // lab: begin (further on) say where units are kept
  // Of B a quarter of a warp, which is served at a time, reads units u and u + 4 of 4 rows.
  __device__ static int a(int row, int unit) { return row * Base::a_units + (unit ^ row % 8); }
  __device__ static int b(int k, int unit) { return k * Base::b_units + (unit ^ k % 4); }
  // lab: end
};

// lab: begin (further on) split a float into a large and a small part
// A float is the sum of a tf32 and a rest, which a tensor core takes as another tf32. It looks at
// the upper 19 bits of an operand alone: adding half of the 20th rounds to the nearest.
__device__ void split(unsigned bits, unsigned& large, unsigned& small) {
  large = (bits + 0x1000u) & 0xffffe000u;
  small = __float_as_uint(__uint_as_float(bits) - __uint_as_float(large));
}
// lab: end

template <class S, bool aligned>
__global__ __launch_bounds__(S::threads) void tf32_kernel(const float* A, const float* B, float* C,
                                                          int n) {
  // lab: begin add up three products of tf32, in single precision outside of the tensor cores
  using Tiles = Feed<S, aligned>;
  constexpr int unit = unit_of<float>, depth = 8;  // depth: of mma_m16n8k8_tf32
  constexpr int down = S::warp_rows / 16, across = S::warp_cols / 8;
  static_assert(across == 4, "a lane's unit of a row of B is an element for each mma across");
  extern __shared__ __align__(128) unsigned char shared[];
  float* const tiles = reinterpret_cast<float*>(shared);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int row_of_warp = warp % S::warps_down * S::warp_rows;
  const int col_of_warp = warp / S::warps_down * S::warp_cols;
  const Place corner = corner_of_block<S>(n);

  // To ldmatrix a float is two halves. Of a row of B a lane reads a unit: mma j gets its element j,
  // so that column c of all four together is a unit, here c / 2 for an even one and c / 2 + 4 for
  // an odd one. Then units that are stored together lie together.
  const int a_place = S::a(row_of_warp + lane % 16, lane / 16) * unit;
  const int b_place = S::b(t, col_of_warp / unit + g / 2 + g % 2 * 4) * unit;

  float sum[down][across][4] = {};
  unsigned a[2][down][4];  // of a step of 8, and of the next one
  uint4 b[2][2];
  int stage = 0;
  const auto load = [&](int k, int into) {
    const float* const As = Tiles::a_of(tiles, stage);
    const float* const Bs = Tiles::b_of(tiles, stage);
#pragma unroll
    for (int i = 0; i < down; ++i) {  // 16 rows, 2 units of k
      ptx::ldmatrix_x4(a[into][i], As + (a_place ^ k) + i * 16 * S::depth);
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      b[into][h] = *reinterpret_cast<const uint4*>(Bs + b_place + (k + h * 4) * S::cols);
    }
  };

  Tiles feed(tiles, A, B, n, corner);
  for (int i = 0; i < S::stages - 1; ++i) feed.begin_step();
  ptx::cp_async_wait<S::stages - 2>();
  __syncthreads();
  load(0, 0);
  for (int k0 = 0; k0 < n; k0 += S::depth) {
    // A tensor core cuts off where it adds, always towards zero: sums that start afresh with every
    // tile stay small, and additions outside of it round to the nearest.
    float partial[down][across][4] = {};
#pragma unroll
    for (int k = 0; k < S::depth; k += depth) {
      const int now = k / depth % 2;
      if (k + depth < S::depth) {
        load(k + depth, 1 - now);
      } else {
        ptx::cp_async_wait<S::stages - 2>();
        __syncthreads();
        stage = Tiles::after(stage);
        if (k0 + S::depth < n) load(0, 1 - now);
      }
      if (k == 0) feed.begin_step();

      unsigned a_large[down][4], a_small[down][4], b_large[across][2], b_small[across][2];
#pragma unroll
      for (int i = 0; i < down; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) split(a[now][i][e], a_large[i][e], a_small[i][e]);
      }
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        split(b[now][h].x, b_large[0][h], b_small[0][h]);
        split(b[now][h].y, b_large[1][h], b_small[1][h]);
        split(b[now][h].z, b_large[2][h], b_small[2][h]);
        split(b[now][h].w, b_large[3][h], b_small[3][h]);
      }
      const auto multiply = [&](const unsigned(&of_a)[down][4], const unsigned(&of_b)[across][2]) {
#pragma unroll
        for (int i = 0; i < down; ++i) {
#pragma unroll
          for (int j = 0; j < across; ++j) {
            ptx::mma_m16n8k8_tf32(partial[i][j], of_a[i], of_b[j]);
          }
        }
      };
      // The small ones first; small * small is less than what a float can tell.
      multiply(a_small, b_large);
      multiply(a_large, b_small);
      multiply(a_large, b_large);
    }
#pragma unroll
    for (int i = 0; i < down; ++i) {
#pragma unroll
      for (int j = 0; j < across; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[i][j][e] += partial[i][j][e];
      }
    }
  }

#pragma unroll
  for (int i = 0; i < down * 2; ++i) {
    const int row = corner.row + row_of_warp + i * 8 + g;
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {  // column 2 t + odd of each mma: a unit
      const int col = corner.col + col_of_warp + (t + odd * 4) * unit, e = i % 2 * 2 + odd;
      const auto& of_row = sum[i / 2];
      float* const to = &C[std::size_t(row) * n + col];
      if constexpr (aligned) {
        if (row < n && col < n) {
          *reinterpret_cast<float4*>(to) =
              make_float4(of_row[0][e], of_row[1][e], of_row[2][e], of_row[3][e]);
        }
      } else {
#pragma unroll
        for (int j = 0; j < across; ++j) {
          if (row < n && col + j < n) to[j] = of_row[j][e];
        }
      }
    }
  }
  // lab: end
}

// ---- what is called ----------------------------------------------------------------------------

static bool is_valid(const void* A, const void* B, const void* C, int n) {
  return n == 0 || (n > 0 && A && B && C);
}

// Whether the device is of this major compute capability, or a later one.
static cudaError_t require(int major) {
  int device = 0, found = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&found, cudaDevAttrComputeCapabilityMajor, device)) {
    return error;
  }
  return found >= major ? cudaSuccess : cudaErrorNotSupported;
}

// Whether rows of n elements begin at units of 16 bytes.
template <class T>
static bool are_aligned(const T* A, const T* B, const float* C, int n) {
  const auto bits = reinterpret_cast<std::size_t>(A) | reinterpret_cast<std::size_t>(B) |
                    reinterpret_cast<std::size_t>(C);
  return n % unit_of<T> == 0 && bits % 16 == 0;
}

template <class S, class T>
static cudaError_t launch(void (*kernel)(const T*, const T*, float*, int), const T* A, const T* B,
                          float* C, int n) {
  // More than 48 KiB have to be asked for.
  if (const cudaError_t error = cudaFuncSetAttribute(
          kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared_bytes)) {
    return error;
  }
  const int blocks = divide_up(n, S::rows) * divide_up(n, S::cols);
  kernel<<<blocks, S::threads, S::shared_bytes>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
  if (const cudaError_t error = require(7)) return error;
  const dim3 grid(divide_up(n, Wmma::cols), divide_up(n, Wmma::rows));
  const auto kernel = are_aligned(A, B, C, n) ? wmma_kernel<true> : wmma_kernel<false>;
  kernel<<<grid, Wmma::threads>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (const cudaError_t error = require(8)) return error;
  return launch<Mma>(are_aligned(A, B, C, n) ? mma_kernel<true> : mma_kernel<false>, A, B, C, n);
}

template <class S>
static cudaError_t launch_3xtf32(const float* A, const float* B, float* C, int n) {
  return launch<S>(are_aligned(A, B, C, n) ? tf32_kernel<S, true> : tf32_kernel<S, false>, A, B, C,
                   n);
}

cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (const cudaError_t error = require(8)) return error;
  int device = 0, room = 0;  // of a block, in bytes: only the largest cards have it for deep tiles
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) {
    return error;
  }
  return room >= Tf32<64>::shared_bytes ? launch_3xtf32<Tf32<64>>(A, B, C, n)
                                        : launch_3xtf32<Tf32<32>>(A, B, C, n);
}
