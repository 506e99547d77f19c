// Matrices are objects with two indices, the sum is kept in double, and threads outside C take part
// by computing a result at the edge which they then do not store.

#include "matmul_grid.hpp"

template <typename Element>
struct Matrix {
  Element* data;
  int order;
  __host__ __device__ Element& operator()(int row, int col) const {
    return data[static_cast<long long>(row) * order + col];
  }
};

struct Place {
  int row, col;
  __device__ static Place mine() {
    return {static_cast<int>(blockIdx.y * blockDim.y * blockDim.z + threadIdx.z * blockDim.y +
                             threadIdx.y),
            static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)};
  }
};

template <typename Sum>
__global__ void __launch_bounds__(1024)
    multiply(Matrix<const float> A, Matrix<const float> B, Matrix<float> C) {
  const Place mine = Place::mine();
  const Place inside = {min(mine.row, C.order - 1), min(mine.col, C.order - 1)};
  Sum sum{};
  for (int k = C.order - 1; k >= 0; --k) sum += Sum{A(inside.row, k)} * B(k, inside.col);
  if (mine.row == inside.row && mine.col == inside.col) C(mine.row, mine.col) = float(sum);
}

cudaError_t matmul_grid(const float* A, const float* B, float* C, int n, dim3 block) {
  const bool sides = block.x - 1 < 1024 && block.y - 1 < 1024 && block.z - 1 < 1024;
  if (n < 0 || !sides || block.x * block.y * block.z > 1024) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  // The third dimension stays as it is while the device allows it; it allows no more than 64.
  if (block.z > 64) block = dim3(block.x, block.y * block.z);
  auto covering = [n](unsigned side) { return (n + side - 1) / side; };
  multiply<double><<<dim3(covering(block.x), covering(block.y * block.z)), block>>>(
      Matrix<const float>{A, n}, Matrix<const float>{B, n}, Matrix<float>{C, n});
  return cudaGetLastError();
}
