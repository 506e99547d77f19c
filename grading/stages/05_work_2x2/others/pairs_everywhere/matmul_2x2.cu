// Where n is even, neighbouring results keep together all the way: pairs of B are fetched, kept,
// read and stored as float2. The tile of A is kept transposed, so that a thread reads its two rows
// as a pair, too. Two sets of tiles take turns, with one barrier a step.

#include "matmul_2x2.hpp"

#include <cstddef>

template <int T>
struct Tiles {
  float2 a[T][T + 1];  // (k, pair of rows)
  float2 b[T][T];      // (k, pair of columns)
};

__device__ float2 operator*(float factor, float2 pair) {
  return make_float2(factor * pair.x, factor * pair.y);
}

__device__ void operator+=(float2& sum, float2 addend) {
  sum.x += addend.x;
  sum.y += addend.y;
}

// Two neighbours in a row of a matrix, or zeros beyond its edges.
__device__ float2 pair_at(const float* matrix, int row, int col, int n) {
  float2 pair = make_float2(0, 0);
  if (row >= n || col >= n) return pair;
  const float* const place = matrix + std::size_t(row) * n + col;
  if (n % 2 == 0) return *reinterpret_cast<const float2*>(place);
  pair.x = place[0];
  if (col + 1 < n) pair.y = place[1];
  return pair;
}

template <int T>
__global__ void neighbours(const float* A, const float* B, float* C, int n) {
  extern __shared__ float2 raw[];
  Tiles<T>* const tiles = reinterpret_cast<Tiles<T>*>(raw);
  const int x = threadIdx.x, y = threadIdx.y;
  const int id = y * T + x;
  const int row0 = blockIdx.y * 2 * T, col0 = blockIdx.x * 2 * T;

  const auto fill = [&](Tiles<T>& to, int k0) {
    // A: 2 T rows of T / 2 pairs, each cut up into the columns of its two k.
    const int pair = id % (T / 2), a_row = id / (T / 2);
    const float2 a = pair_at(A, row0 + a_row, k0 + 2 * pair, n);
    float* const rows = reinterpret_cast<float*>(to.a[2 * pair]);
    rows[a_row] = a.x;
    rows[2 * (T + 1) + a_row] = a.y;
    const float2 b = pair_at(B, k0 + y, col0 + 2 * x, n);
    to.b[y][x] = b;
  };

  float2 upper = {}, lower = {};
  fill(tiles[0], 0);
  for (int k0 = 0, turn = 0; k0 < n; k0 += T, turn ^= 1) {
    __syncthreads();
    if (k0 + T < n) fill(tiles[turn ^ 1], k0 + T);
#pragma unroll 4
    for (int k = 0; k < T; ++k) {
      const float2 a = tiles[turn].a[k][y], b = tiles[turn].b[k][x];
      upper += a.x * b;
      lower += a.y * b;
    }
  }

  const int row = row0 + 2 * y, col = col0 + 2 * x;
  const auto store = [&](int row, float2 pair) {
    if (row >= n || col >= n) return;
    float* const place = C + std::size_t(row) * n + col;
    if (n % 2 == 0) {
      *reinterpret_cast<float2*>(place) = pair;
    } else {
      place[0] = pair.x;
      if (col + 1 < n) place[1] = pair.y;
    }
  };
  store(row, upper);
  store(row + 1, lower);
}

// The four results of a thread as two pairs: .x in the left half of C, .y in the right one.
template <int T>
__global__ void quarters(const float* A, const float* B, float* C, int n, int half) {
  extern __shared__ float2 raw[];
  Tiles<T>* const tiles = reinterpret_cast<Tiles<T>*>(raw);
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  const auto element = [n](const float* matrix, int row, int col) {
    return row < n && col < n ? matrix[std::size_t(row) * n + col] : 0.0f;
  };
  const auto fill = [&](Tiles<T>& to, int k0) {
    to.a[x][y] = make_float2(element(A, row, k0 + x), element(A, row + half, k0 + x));
    to.b[y][x] = make_float2(element(B, k0 + y, col), element(B, k0 + y, col + half));
  };

  float2 upper = {}, lower = {};
  fill(tiles[0], 0);
  __syncthreads();
  for (int step = 0; step * T < n; ++step) {
    if ((step + 1) * T < n) fill(tiles[(step + 1) % 2], (step + 1) * T);
    for (int k = 0; k < T; ++k) {
      upper += tiles[step % 2].a[k][y].x * tiles[step % 2].b[k][x];
      lower += tiles[step % 2].a[k][y].y * tiles[step % 2].b[k][x];
    }
    __syncthreads();
  }

  if (row >= half || col >= half) return;
  float* const first = C + std::size_t(row) * n + col;
  float* const second = first + std::size_t(half) * n;
  const bool has_right = col + half < n, has_lower = row + half < n;
  first[0] = upper.x;
  if (has_right) first[half] = upper.y;
  if (has_lower) second[0] = lower.x;
  if (has_lower && has_right) second[half] = lower.y;
}

template <int T>
static cudaError_t launch(bool apart, const float* A, const float* B, float* C, int n) {
  const int half = (n + 1) / 2, blocks = (half + T - 1) / T;
  const dim3 grid(blocks, blocks), block(T, T);
  constexpr std::size_t bytes = 2 * sizeof(Tiles<T>);
  if (apart) {
    quarters<T><<<grid, block, bytes>>>(A, B, C, n, half);
  } else {
    neighbours<T><<<grid, block, bytes>>>(A, B, C, n);
  }
  return cudaGetLastError();
}

static cudaError_t multiply(bool apart, const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (n > 0 && !(A && B && C))) return cudaErrorInvalidValue;
  if (tile != 8 && tile != 16 && tile != 32) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  return tile == 8    ? launch<8>(apart, A, B, C, n)
         : tile == 16 ? launch<16>(apart, A, B, C, n)
                      : launch<32>(apart, A, B, C, n);
}

cudaError_t matmul_2x2(const float* A, const float* B, float* C, int n, int tile) {
  return multiply(false, A, B, C, n, tile);
}

cudaError_t matmul_2x2_strided(const float* A, const float* B, float* C, int n, int tile) {
  return multiply(true, A, B, C, n, tile);
}
