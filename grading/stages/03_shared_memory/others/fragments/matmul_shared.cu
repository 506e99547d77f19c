// Fragments in registers, each seen in two ways: a float4 as four floats, a union, an array with an
// operator[] of its own, and a copy by memcpy.

#include "matmul_shared.hpp"

#include <cstddef>
#include <cstring>

union Quad {
  float4 vector;
  float element[4];
};

template <class T, int N>
struct Array {
  T values[N];
  __device__ T& operator[](int i) { return values[i]; }
};

// A, B, C: (n, n), row-major.
template <int Tile>
__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  struct Fragment {
    float of_a[4];
    float of_b[4];
  };
  __shared__ float As[Tile][Tile];  // (row, k)
  __shared__ float Bs[Tile][Tile];  // (k, col)
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty;
  const int col = blockIdx.x * Tile + tx;

  float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float* sum = reinterpret_cast<float*>(&sums);
  Array<float, 2> remaining{};
  for (int k0 = 0; k0 < n; k0 += Tile) {
    As[ty][tx] = row < n && k0 + tx < n ? A[size_t(row) * n + k0 + tx] : 0.0f;
    Bs[ty][tx] = k0 + ty < n && col < n ? B[size_t(k0 + ty) * n + col] : 0.0f;
    __syncthreads();
    int k = 0;
    for (; k + 4 <= Tile; k += 4) {
      Quad quad;
      Fragment fragment;
      for (int i = 0; i < 4; ++i) {
        quad.element[i] = As[ty][k + i];
        fragment.of_b[i] = Bs[k + i][tx];
      }
      memcpy(fragment.of_a, &quad.vector, sizeof fragment.of_a);
      for (int i = 0; i < 4; ++i) sum[(i + k0) & 3] += fragment.of_a[i] * fragment.of_b[i];
    }
    for (; k < Tile; ++k) remaining[k & 1] += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < n && col < n) {
    C[size_t(row) * n + col] = sums.x + sums.y + sums.z + sums.w + remaining[0] + remaining[1];
  }
}

template <int Tile>
cudaError_t launch(const float* A, const float* B, float* C, int n) {
  const unsigned blocks = (n + Tile - 1) / Tile;
  matmul_kernel<Tile><<<dim3(blocks, blocks), dim3(Tile, Tile)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0) return cudaErrorInvalidValue;
  if (n > 0 && (A == nullptr || B == nullptr || C == nullptr)) return cudaErrorInvalidValue;
  if (tile != 8 && tile != 16 && tile != 22 && tile != 32) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  switch (tile) {
    case 8: return launch<8>(A, B, C, n);
    case 16: return launch<16>(A, B, C, n);
    case 22: return launch<22>(A, B, C, n);
    default: return launch<32>(A, B, C, n);
  }
}
