// Where n allows it, a quarter of the threads fetch the elements of A in groups of four, and
// another quarter those of B; the rest only compute. Tiles lie in dynamic shared memory.
// Compilers: all

#include "matmul_prefetch.hpp"

#include <cstddef>

namespace {

constexpr int group = 4;

extern __shared__ float4 pool[];

// One group of four elements that this thread moves at every step, or none.
template <int T>
class Courier {
 public:
  __device__ Courier(const float* A, const float* B, int n) : n_(n) {
    const int id = threadIdx.y * T + threadIdx.x, groups = T * T / group;
    if (id >= 2 * groups) return;
    for_a_ = id < groups;
    y_ = id % groups / (T / group);
    x_ = id % (T / group) * group;
    from_ = for_a_ ? A : B;
    works_ = true;
  }

  __device__ void fetch(int k0) {
    if (!works_) return;
    const int row = for_a_ ? int(blockIdx.y) * T + y_ : k0 + y_;
    const int col = for_a_ ? k0 + x_ : int(blockIdx.x) * T + x_;
    next_ = make_float4(0, 0, 0, 0);
    if (row < n_ && col < n_) {
      next_ = *reinterpret_cast<const float4*>(from_ + std::size_t(row) * n_ + col);
    }
  }

  // tiles: a tile of A and one of B, each (T, T)
  __device__ void deliver(float4* tiles) const {
    if (works_) tiles[(for_a_ ? 0 : T * T / group) + (y_ * T + x_) / group] = next_;
  }

 private:
  int n_, y_ = 0, x_ = 0;
  bool works_ = false, for_a_ = false;
  const float* from_ = nullptr;
  float4 next_;
};

// The same, one element each, for an n whose rows do not begin at multiples of 16 bytes.
template <int T>
class Walker {
 public:
  __device__ Walker(const float* A, const float* B, int n) : A_(A), B_(B), n_(n) {}

  __device__ void fetch(int k0) {
    const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    const int a_col = k0 + threadIdx.x, b_row = k0 + threadIdx.y;
    a_ = row < n_ && a_col < n_ ? A_[std::size_t(row) * n_ + a_col] : 0.0f;
    b_ = b_row < n_ && col < n_ ? B_[std::size_t(b_row) * n_ + col] : 0.0f;
  }

  __device__ void deliver(float4* tiles) const {
    float* const place = reinterpret_cast<float*>(tiles) + threadIdx.y * T + threadIdx.x;
    place[0] = a_;
    place[T * T] = b_;
  }

 private:
  const float *A_, *B_;
  int n_;
  float a_, b_;
};

template <int T>
__device__ float product(const float4* tiles) {
  const float* const a = reinterpret_cast<const float*>(tiles) + threadIdx.y * T;
  const float* const b = reinterpret_cast<const float*>(tiles) + T * T + threadIdx.x;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < T; ++k) sum = fmaf(a[k], b[k * T], sum);
  return sum;
}

__device__ void store(float* C, int n, int tile, float sum) {
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  if (row < n && col < n) C[std::size_t(row) * n + col] = sum;
}

template <int T, template <int> class Carrier>
__global__ void through_registers(const float* A, const float* B, float* C, int n) {
  Carrier<T> carrier(A, B, n);
  float sum = 0.0f;
  carrier.fetch(0);
  for (int k0 = 0; k0 < n; k0 += T) {
    carrier.deliver(pool);
    __syncthreads();
    if (k0 + T < n) carrier.fetch(k0 + T);
    sum += product<T>(pool);
    __syncthreads();
  }
  store(C, n, T, sum);
}

template <int T, template <int> class Carrier>
__global__ void through_two_pairs(const float* A, const float* B, float* C, int n) {
  Carrier<T> carrier(A, B, n);
  float4 *now = pool, *next = pool + 2 * T * T / group;
  float sum = 0.0f;
  carrier.fetch(0);
  carrier.deliver(now);
  __syncthreads();
  for (int k0 = 0; k0 < n; k0 += T) {
    const bool more = k0 + T < n;
    if (more) carrier.fetch(k0 + T);
    sum += product<T>(now);
    if (more) carrier.deliver(next);
    __syncthreads();
    float4* const used = now;
    now = next;
    next = used;
  }
  store(C, n, T, sum);
}

template <int T>
cudaError_t launch(bool pairs, const float* A, const float* B, float* C, int n) {
  const unsigned count = (n + T - 1) / T;
  const dim3 grid(count, count), block(T, T);
  const std::size_t bytes = (pairs ? 2 : 1) * 2 * T * T * sizeof(float);
  if (n % group == 0) {
    if (pairs) {
      through_two_pairs<T, Courier><<<grid, block, bytes>>>(A, B, C, n);
    } else {
      through_registers<T, Courier><<<grid, block, bytes>>>(A, B, C, n);
    }
  } else if (pairs) {
    through_two_pairs<T, Walker><<<grid, block, bytes>>>(A, B, C, n);
  } else {
    through_registers<T, Walker><<<grid, block, bytes>>>(A, B, C, n);
  }
  return cudaGetLastError();
}

cudaError_t multiply(bool pairs, const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  if (tile == 8) return launch<8>(pairs, A, B, C, n);
  if (tile == 16) return launch<16>(pairs, A, B, C, n);
  return launch<32>(pairs, A, B, C, n);
}

}  // namespace

cudaError_t matmul_prefetch_register(const float* A, const float* B, float* C, int n, int tile) {
  return multiply(false, A, B, C, n, tile);
}

cudaError_t matmul_prefetch_shared(const float* A, const float* B, float* C, int n, int tile) {
  return multiply(true, A, B, C, n, tile);
}
