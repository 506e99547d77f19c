// The last step stands after the loop, so that no step asks whether there is another one. Indices
// are pulled back inside, and what they fetch beyond an edge is multiplied by zero. One kernel for
// all tiles, which takes its size from the block.

#include "matmul_prefetch.hpp"

extern __shared__ float shared[];

// What one thread brings to each step: an element of A and one of B.
struct Load {
  float a, b;
};

__device__ Load load(const float* A, const float* B, unsigned n, unsigned k0) {
  const unsigned last = n - 1;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y, a_col = k0 + threadIdx.x;
  const unsigned col = blockIdx.x * blockDim.x + threadIdx.x, b_row = k0 + threadIdx.y;
  return {A[size_t{n} * min(row, last) + min(a_col, last)] * (a_col < n),
          B[size_t{n} * min(b_row, last) + min(col, last)] * (b_row < n)};
}

// tiles: one of A, then one of B.
__device__ void put(float* tiles, Load load) {
  const unsigned tile = blockDim.x, here = threadIdx.y * tile + threadIdx.x;
  tiles[here] = load.a;
  tiles[tile * tile + here] = load.b;
}

__device__ void add_products(float& sum, const float* tiles) {
  const unsigned tile = blockDim.x;
  const float* a = tiles + threadIdx.y * tile;
  const float* const end = a + tile;
  const float* b = tiles + tile * tile + threadIdx.x;
  while (a != end) {
    sum += *a++ * *b;
    b += tile;
  }
}

__device__ void store(float* C, unsigned n, float sum) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) C[size_t{n} * row + col] = sum;
}

__global__ void one_pair(const float* A, const float* B, float* C, unsigned n) {
  float sum = 0;
  Load next = load(A, B, n, 0);
  unsigned k0 = blockDim.x;
  for (; k0 < n; k0 += blockDim.x) {
    put(shared, next);
    __syncthreads();
    next = load(A, B, n, k0);
    add_products(sum, shared);
    __syncthreads();
  }
  put(shared, next);
  __syncthreads();
  add_products(sum, shared);
  store(C, n, sum);
}

__global__ void two_pairs(const float* A, const float* B, float* C, unsigned n) {
  float *now = shared, *next = shared + 2 * blockDim.x * blockDim.x;
  float sum = 0;
  put(now, load(A, B, n, 0));
  __syncthreads();
  for (unsigned k0 = blockDim.x; k0 < n; k0 += blockDim.x) {
    put(next, load(A, B, n, k0));
    add_products(sum, now);
    __syncthreads();
    float* const used = now;
    now = next;
    next = used;
  }
  add_products(sum, now);
  store(C, n, sum);
}

using Kernel = void (*)(const float*, const float*, float*, unsigned);

static cudaError_t run(Kernel kernel, int pairs, const float* A, const float* B, float* C, int n,
                       int tile) {
  bool known = false;
  for (int choice : {8, 16, 32}) known |= choice == tile;
  if (!known || n < 0) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (A == nullptr || B == nullptr || C == nullptr) return cudaErrorInvalidValue;
  const dim3 block(tile, tile), grid((n - 1) / tile + 1, (n - 1) / tile + 1);
  kernel<<<grid, block, pairs * 2 * tile * tile * sizeof(float)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_prefetch_register(const float* A, const float* B, float* C, int n, int tile) {
  return run(one_pair, 1, A, B, C, n, tile);
}

cudaError_t matmul_prefetch_shared(const float* A, const float* B, float* C, int n, int tile) {
  return run(two_pairs, 2, A, B, C, n, tile);
}
