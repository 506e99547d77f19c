// Stage 10: reductions. One number from many in three ways, a sum of products for each row of a
// matrix, and softmax, which needs the largest element and a sum of each row.

#include "reduction.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>

// None of these kernels computes much: an element is loaded, used once or twice, and never needed
// again. So memory decides, and it is kept busy by loads of 128 bits, several of which are on their
// way for each thread.

constexpr int warp = 32;
constexpr unsigned all_lanes = 0xffffffff;

static int divide_up(int count, int unit) { return count / unit + (count % unit != 0); }

static bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(float4) == 0;
}

static int multiprocessors() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

// ---- Sums

constexpr int sum_threads = 1024;
constexpr int sum_blocks_per_sm = 2;  // 2048 threads, as many as an SM holds
constexpr int loads_at_once = 4;      // of a thread
constexpr int most_blocks = 4096;

// (most_blocks): what each block of a sum comes to, until the last one adds it up.
__device__ float block_sums[most_blocks];

// Blocks that have left their sum; 0 between two calls.
__device__ unsigned blocks_done;

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

// All threads of the grid go over x together: what the calling one has met. x: (n).
__device__ float sum_of_own_elements(const float* x, int n) {
  const std::size_t own = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t all = std::size_t(gridDim.x) * blockDim.x;
  float sum = 0.0f;
  // lab: begin add up one in `all` elements of x, four neighbours a load
  // Loads of 128 bits begin at multiples of 16 bytes. Up to 3 elements lie before the first of
  // these, and up to 3 behind the last.
  const int misplaced = reinterpret_cast<std::uintptr_t>(x) / sizeof(float) % 4;
  const int before = min(n, (4 - misplaced) % 4);
  const int behind = (n - before) % 4;
  const std::size_t count = (n - before) / 4;
  const float4* const fours = reinterpret_cast<const float4*>(x + before);  // (count)
  if (own < before) sum += x[own];
  if (own < behind) sum += x[n - behind + own];

  std::size_t i = own;
  for (; i + (loads_at_once - 1) * all < count; i += loads_at_once * all) {
    float4 v[loads_at_once];
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) v[k] = fours[i + k * all];  // none waits for another
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) sum += sum_of(v[k]);
  }
  for (; i < count; i += all) sum += sum_of(fours[i]);
  // lab: end
  return sum;
}

// The sum of all threads' numbers, for thread 0. Blocks of sum_threads.
__device__ float block_sum_by_tree(float own) {
  float sum = own;
  // lab: begin halve the numbers in shared memory until one is left
  __shared__ float part[sum_threads];
  part[threadIdx.x] = own;
  // The lower half adds what the upper half has: neighbours read and write neighbours, and whole
  // warps are out of work together.
  for (int half = sum_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sum = part[0];  // which it has stored itself
  // lab: end
  return sum;
}

// The sum of the numbers of Lanes neighbouring lanes of a warp, for each of them.
template <int Lanes = warp>
__device__ float lanes_sum(float own) {
  float sum = own;
  // lab: begin add up the lanes' numbers from register to register
  for (int distance = Lanes / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(all_lanes, sum, distance);
  }
  // lab: end
  return sum;
}

// The sum of all threads' numbers, for thread 0. Blocks of any number of warps.
__device__ float block_sum_by_shuffles(float own) {
  float sum = lanes_sum(own);
  // lab: begin add up the sums of the warps
  __shared__ float of_warp[warp];
  const int lane = threadIdx.x % warp;
  if (lane == 0) of_warp[threadIdx.x / warp] = sum;
  __syncthreads();
  if (threadIdx.x < warp) sum = lanes_sum(lane < blockDim.x / warp ? of_warp[lane] : 0.0f);
  // lab: end
  return sum;
}

// Each block leaves its sum, and the one that is done last adds up what all have left.
template <float (*block_sum)(float)>
__global__ __launch_bounds__(sum_threads) void sum_kernel(float* sum, const float* x, int n) {
  const float of_block = block_sum(sum_of_own_elements(x, n));
  // lab: begin leave the block's sum, find out whether all have, and add them up
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    block_sums[blockIdx.x] = of_block;
    __threadfence();  // whoever finds this block counted finds its sum, too
    is_last = atomicAdd(&blocks_done, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  float part = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += sum_threads) part += block_sums[i];
  const float all = block_sum(part);
  if (threadIdx.x == 0) {
    *sum = all;
    blocks_done = 0;  // for the next call
  }
  // lab: end
}

__global__ __launch_bounds__(sum_threads) void atomic_kernel(float* sum, const float* x, int n) {
  const float of_block = block_sum_by_shuffles(sum_of_own_elements(x, n));
  // lab: begin one addition a block
  if (threadIdx.x == 0) atomicAdd(sum, of_block);
  // lab: end
}

static bool is_valid(const float* sum, const float* x, int n) {
  return n == 0 || (n > 0 && sum && x);
}

// No more blocks than run at once: each goes over several parts of x, and leaves one sum.
static int sum_blocks(int n) {
  const int at_once = std::min(multiprocessors() * sum_blocks_per_sm, most_blocks);
  return std::min(divide_up(n, 4 * sum_threads), at_once);
}

cudaError_t sum_shared(float* sum, const float* x, int n) {
  if (!is_valid(sum, x, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
  sum_kernel<block_sum_by_tree><<<sum_blocks(n), sum_threads>>>(sum, x, n);
  return cudaGetLastError();
}

cudaError_t sum_shuffle(float* sum, const float* x, int n) {
  if (!is_valid(sum, x, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  sum_kernel<block_sum_by_shuffles><<<sum_blocks(n), sum_threads>>>(sum, x, n);
  return cudaGetLastError();
}

cudaError_t sum_atomic(float* sum, const float* x, int n) {
  if (!is_valid(sum, x, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const cudaError_t cleared = cudaMemsetAsync(sum, 0, sizeof *sum);
  if (cleared != cudaSuccess) return cleared;
  atomic_kernel<<<sum_blocks(n), sum_threads>>>(sum, x, n);
  return cudaGetLastError();
}

// ---- Width numbers that one load brings: 4, or 1 where they may begin anywhere

template <int Width>
__device__ void load(float* to, const float* from) {
  if constexpr (Width == 4) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  } else {
    *to = *from;
  }
}

template <int Width>
__device__ void store(float* to, const float* from, float factor) {
  if constexpr (Width == 4) {
    *reinterpret_cast<float4*>(to) = {factor * from[0], factor * from[1], factor * from[2],
                                      factor * from[3]};
  } else {
    *to = factor * *from;
  }
}

// ---- y = alpha * A * x + beta * y

constexpr int gemv_threads = 256;
constexpr unsigned gemv_loads = 8;  // of a row, of a thread, on their way together

// A team of threads, some lanes of a warp or a block, computes one element of y. Blocks of
// gemv_threads.
template <int Team, int Width>
__global__ __launch_bounds__(gemv_threads) void gemv_kernel(int m, int n, float alpha,
                                                            const float* A, int lda, const float* x,
                                                            float beta, float* y) {
  const int t = threadIdx.x % Team;
  const std::size_t row = std::size_t(blockIdx.x) * (gemv_threads / Team) + threadIdx.x / Team;
  const float* const a = A + min(row, std::size_t(m - 1)) * lda;  // (n)

  float sum = 0.0f;
  // lab: begin add up the products of the own columns, then what the team has
  const unsigned whole = n / Width * Width;
  for (unsigned first = t * Width; first < whole; first += gemv_loads * Team * Width) {
    float as[gemv_loads * Width] = {}, xs[gemv_loads * Width] = {};  // zeros behind the last
#pragma unroll
    for (unsigned k = 0; k < gemv_loads; ++k) {
      const unsigned col = first + k * Team * Width;
      if (col < whole) load<Width>(as + k * Width, a + col);
    }
#pragma unroll
    for (unsigned k = 0; k < gemv_loads; ++k) {
      const unsigned col = first + k * Team * Width;
      if (col < whole) load<Width>(xs + k * Width, x + col);
    }
#pragma unroll
    for (unsigned k = 0; k < gemv_loads * Width; ++k) sum += as[k] * xs[k];
  }
  if (t < n - whole) sum += a[whole + t] * x[whole + t];
  sum = Team <= warp ? lanes_sum<Team>(sum) : block_sum_by_shuffles(sum);
  // lab: end
  if (t == 0 && row < m) y[row] = alpha * sum + (beta == 0.0f ? 0.0f : beta * y[row]);
}

template <int Team, int Width>
static void launch_gemv(int m, int n, float alpha, const float* A, int lda, const float* x,
                        float beta, float* y) {
  const int blocks = divide_up(m, gemv_threads / Team);
  gemv_kernel<Team, Width><<<blocks, gemv_threads>>>(m, n, alpha, A, lda, x, beta, y);
}

template <int Width>
static void gemv_of_any_row(int m, int n, float alpha, const float* A, int lda, const float* x,
                            float beta, float* y) {
  // As many threads a row as have something to load, all at once.
  if (n <= 256) return launch_gemv<8, Width>(m, n, alpha, A, lda, x, beta, y);
  if (n <= 2048) return launch_gemv<warp, Width>(m, n, alpha, A, lda, x, beta, y);
  launch_gemv<gemv_threads, Width>(m, n, alpha, A, lda, x, beta, y);
}

cudaError_t gemv(int m, int n, float alpha, const float* A, int lda, const float* x, float beta,
                 float* y) {
  if (m < 0 || n < 0 || lda < n || lda < 1) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (!y || (alpha != 0.0f && (!A || !x))) return cudaErrorInvalidValue;
  if (alpha == 0.0f) n = 0;  // there is nothing to load
  // Rows that do not begin at multiples of 16 bytes are loaded one element at a time.
  const bool in_fours = lda % 4 == 0 && is_aligned(A) && is_aligned(x);
  if (in_fours) {
    gemv_of_any_row<4>(m, n, alpha, A, lda, x, beta, y);
  } else {
    gemv_of_any_row<1>(m, n, alpha, A, lda, x, beta, y);
  }
  return cudaGetLastError();
}

// ---- Softmax

// What is known of some elements of a row: the largest, and the sum of exp(element - max). No term
// of it is above 1, and any two such sums can be brought to the same maximum. -FLT_MAX, not -inf,
// is the largest of none: -inf - -inf is NaN.
struct Exponentials {
  float max;
  float sum;
};

__device__ Exponentials of_nothing() { return {-FLT_MAX, 0.0f}; }

// Of both parts' elements together.
__device__ Exponentials join(Exponentials a, Exponentials b) {
  Exponentials both = a;
  // lab: begin bring both sums to the larger maximum
  both.max = fmaxf(a.max, b.max);
  both.sum = a.sum * expf(a.max - both.max) + b.sum * expf(b.max - both.max);
  // lab: end
  return both;
}

// Of a team's parts, for all of its threads: some lanes of a warp, or the whole block.
template <int Team>
__device__ Exponentials join_team(Exponentials own) {
  Exponentials all = own;
  // lab: begin join the parts of all threads, as a sum is added up
#pragma unroll
  for (int distance = min(Team, warp) / 2; distance > 0; distance /= 2) {
    all = join(all, {__shfl_xor_sync(all_lanes, all.max, distance),
                     __shfl_xor_sync(all_lanes, all.sum, distance)});
  }
  if constexpr (Team > warp) {
    __shared__ Exponentials of_warp[Team / warp];
    const int lane = threadIdx.x % warp;
    if (lane == 0) of_warp[threadIdx.x / warp] = all;
    __syncthreads();
    // Each warp does the same, which spares telling the others.
    all = join_team<warp>(lane < Team / warp ? of_warp[lane] : of_nothing());
  }
  // lab: end
  return all;
}

// Puts exp(element - max) in the place of each element, max being the largest of these.
template <int Elements>
__device__ Exponentials exponentiate(float (&own)[Elements]) {
  Exponentials part = of_nothing();
  // lab: begin the largest first, then the exponentials and their sum
#pragma unroll
  for (int i = 0; i < Elements; ++i) part.max = fmaxf(part.max, own[i]);
#pragma unroll
  for (int i = 0; i < Elements; ++i) {
    own[i] = expf(own[i] - part.max);
    part.sum += own[i];
  }
  // lab: end
  return part;
}

// A thread's elements of (a part of) a row: Width neighbours a load, the team's loads side by side;
// -inf behind the last of `count`.
template <int Team, int Width, int Elements>
__device__ void load_own(float (&own)[Elements], const float* row, int t, int count) {
#pragma unroll
  for (int i = 0; i < Elements; i += Width) {
    const int col = i * Team + t * Width;
    for (int j = 0; j < Width; ++j) own[i + j] = -INFINITY;
    if (col < count) load<Width>(own + i, row + col);
  }
}

template <int Team, int Width, int Elements>
__device__ void store_own(float* row, const float (&own)[Elements], int t, int count,
                          float factor) {
#pragma unroll
  for (int i = 0; i < Elements; i += Width) {
    const int col = i * Team + t * Width;
    if (col < count) store<Width>(row + col, own + i, factor);
  }
}

template <int Team>
constexpr int block_of = Team < 128 ? 128 : Team;  // threads

// A team has a row, of up to Team * Elements columns, which it keeps in registers: loaded once.
template <int Team, int Elements, int Width>
__global__ __launch_bounds__(block_of<Team>) void softmax_kernel(float* out, const float* in,
                                                                 int rows, int cols) {
  const int t = threadIdx.x % Team;
  const std::size_t row = std::size_t(blockIdx.x) * (block_of<Team> / Team) + threadIdx.x / Team;
  const int count = row < rows ? cols : 0;  // all lanes take part in the shuffles

  float own[Elements];
  load_own<Team, Width>(own, in + row * cols, t, count);
  const Exponentials part = exponentiate(own);
  const Exponentials whole = join_team<Team>(part);
  float factor = 1.0f;
  // lab: begin from the own maximum to the row's, and divided by the sum
  factor = expf(part.max - whole.max) / whole.sum;
  // lab: end
  store_own<Team, Width>(out + row * cols, own, t, count, factor);
}

// Rows that no block holds: several blocks have a chunk of one each, and know nothing of the others
// before the next launch, for which they load it again.
constexpr int chunk_threads = 512;
constexpr int chunk_elements = 32;  // of a thread
constexpr int chunk = chunk_threads * chunk_elements;
constexpr int most_chunks = 1 << 17;  // of the longest row that there can be

// (most_chunks): what is known of each chunk.
__device__ float chunk_max[most_chunks], chunk_sum[most_chunks];

// Blocks are (chunk, row), chunk first.
template <int Width>
__global__ __launch_bounds__(chunk_threads) void chunk_kernel(const float* in, int cols,
                                                              int chunks) {
  const std::size_t row = blockIdx.x / chunks;
  const int first = blockIdx.x % chunks * chunk;
  float own[chunk_elements];
  load_own<chunk_threads, Width>(own, in + row * cols + first, threadIdx.x, cols - first);
  const Exponentials part = join_team<chunk_threads>(exponentiate(own));
  if (threadIdx.x == 0) {
    chunk_max[blockIdx.x] = part.max;
    chunk_sum[blockIdx.x] = part.sum;
  }
}

template <int Width>
__global__ __launch_bounds__(chunk_threads) void scale_chunk_kernel(float* out, const float* in,
                                                                    int cols, int chunks) {
  // Last chunks first: these may still be in the L2 cache.
  const unsigned block = gridDim.x - 1 - blockIdx.x;
  const std::size_t row = block / chunks;
  const int first = block % chunks * chunk;
  const std::size_t place = row * cols + first;
  float own[chunk_elements];
  load_own<chunk_threads, Width>(own, in + place, threadIdx.x, cols - first);
  Exponentials whole = of_nothing();
  // lab: begin join the parts of the row's chunks
  for (int i = threadIdx.x; i < chunks; i += chunk_threads) {
    whole = join(whole, {chunk_max[row * chunks + i], chunk_sum[row * chunks + i]});
  }
  whole = join_team<chunk_threads>(whole);
  // lab: end
  const Exponentials part = exponentiate(own);
  store_own<chunk_threads, Width>(out + place, own, threadIdx.x, cols - first,
                                  expf(part.max - whole.max) / whole.sum);
}

template <int Width>
static void softmax_of_long_rows(float* out, const float* in, int rows, int cols) {
  const int chunks = divide_up(cols, chunk);
  const int rows_at_once = most_chunks / chunks;
  for (int row = 0; row < rows; row += std::min(rows_at_once, rows - row)) {
    const int blocks = std::min(rows_at_once, rows - row) * chunks;
    const std::size_t place = std::size_t(row) * cols;
    chunk_kernel<Width><<<blocks, chunk_threads>>>(in + place, cols, chunks);
    scale_chunk_kernel<Width><<<blocks, chunk_threads>>>(out + place, in + place, cols, chunks);
  }
}

template <int Team, int Elements, int Width>
static void launch_softmax(float* out, const float* in, int rows, int cols) {
  constexpr int block = block_of<Team>;
  const int blocks = divide_up(rows, block / Team);
  softmax_kernel<Team, Elements, Width><<<blocks, block>>>(out, in, rows, cols);
}

template <int Width>
static void softmax(float* out, const float* in, int rows, int cols) {
  // 32 elements a thread at most; in short rows fewer threads rather than fewer loads of each.
  if (cols <= 4 * 4) return launch_softmax<4, 4, Width>(out, in, rows, cols);
  if (cols <= 4 * 8) return launch_softmax<4, 8, Width>(out, in, rows, cols);
  if (cols <= 8 * 8) return launch_softmax<8, 8, Width>(out, in, rows, cols);
  if (cols <= 16 * 8) return launch_softmax<16, 8, Width>(out, in, rows, cols);
  if (cols <= 32 * 8) return launch_softmax<32, 8, Width>(out, in, rows, cols);
  if (cols <= 32 * 32) return launch_softmax<32, 32, Width>(out, in, rows, cols);
  if (cols <= 128 * 32) return launch_softmax<128, 32, Width>(out, in, rows, cols);
  if (cols <= 256 * 32) return launch_softmax<256, 32, Width>(out, in, rows, cols);
  if (cols <= 512 * 32) return launch_softmax<512, 32, Width>(out, in, rows, cols);
  if (cols <= 1024 * 32) return launch_softmax<1024, 32, Width>(out, in, rows, cols);
  softmax_of_long_rows<Width>(out, in, rows, cols);
}

cudaError_t softmax_rows(float* out, const float* in, int rows, int cols) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!out || !in) return cudaErrorInvalidValue;
  const bool in_fours = cols % 4 == 0 && is_aligned(out) && is_aligned(in);
  in_fours ? softmax<4>(out, in, rows, cols) : softmax<1>(out, in, rows, cols);
  return cudaGetLastError();
}
