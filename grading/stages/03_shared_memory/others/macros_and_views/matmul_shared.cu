// Macros for what repeats: shared tiles, launches and what follows them. Matrices as views that
// are passed in braces, one that counts who shares it, and a mask that no launch gives.
#include "matmul_shared.hpp"

#include <cstddef>

#define SHARED __shared__
#define TILE(name, size) SHARED float name[size][size]
#define AT(matrix, row, col) matrix.elements[std::size_t(row) * matrix.n + (col)]
#define LAUNCH(kernel, grid, block, ...) (kernel<<<grid, block>>>(__VA_ARGS__))
#define CHECKED(...)                               \
  do {                                             \
    __VA_ARGS__;                                   \
    const cudaError_t status = cudaGetLastError(); \
    if (status != cudaSuccess) return status;      \
  } while (0)

struct Matrix {
  const float* elements;
  int n;
};

/// A result that knows on how many places it is kept. Copies on the device are bytes.
class Result {
 public:
  Result(float* elements, int n, int* owners) : elements(elements), n(n), owners_(owners) {
    ++*owners_;
  }
  __host__ __device__ Result(const Result& other)
      : elements(other.elements), n(other.n), owners_(other.owners_) {
    ++*owners_;
  }
  Result& operator=(const Result&) = delete;
  __host__ __device__ ~Result() { --*owners_; }

  float* elements;
  int n;

 private:
  int* owners_;
};

template <int size>
__global__ void matmul_kernel(Matrix A, Matrix B, Result C, const bool* mask) {
  TILE(As, size);  // (row, k)
  TILE(Bs, size);  // (k, col)
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * size + ty, col = blockIdx.x * size + tx;
  float sum = 0;
  for (int k0 = 0; k0 < A.n; k0 += size) {
    As[ty][tx] = row < A.n && k0 + tx < A.n ? AT(A, row, k0 + tx) : 0;
    Bs[ty][tx] = k0 + ty < B.n && col < B.n ? AT(B, k0 + ty, col) : 0;
    __syncthreads();
    for (int k = 0; k < size; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row >= C.n || col >= C.n || (mask != nullptr && !mask[row])) return;
  C.elements += std::size_t(row) * C.n;  // each thread has a parameter of its own
  C.elements[col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  const bool known = tile == 8 || tile == 16 || tile == 22 || tile == 32;
  if (!known || n < 0 || (n > 0 && (!A || !B || !C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const dim3 grid((n + tile - 1) / tile, (n + tile - 1) / tile), block(tile, tile);
  int owners = 0;
  const Result result(C, n, &owners);
  if (tile == 8) CHECKED(LAUNCH(matmul_kernel<8>, grid, block, {A, n}, {B, n}, result, NULL));
  if (tile == 16) CHECKED(LAUNCH(matmul_kernel<16>, grid, block, {A, n}, {B, n}, result, 0));
  if (tile == 22) CHECKED(matmul_kernel<22><<<grid, block>>>({A, n}, {B, n}, result, {}));
  void (*const widest)(Matrix, Matrix, Result, const bool*) = matmul_kernel<32>;
  if (tile == 32) CHECKED(LAUNCH(widest, grid, block, {A, n}, {B, n}, result, nullptr));
  return owners == 1 ? cudaSuccess : cudaErrorUnknown;
}
