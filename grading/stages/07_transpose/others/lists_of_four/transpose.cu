// Results are stored as float4{...}; pointers to rows of dynamic shared memory; cudaLaunchKernelEx().
// Compilers: all
#include "transpose.hpp"
#include <cstddef>
#include <cstdint>
#define DIV(a, b) (((a) - 1) / (b) + 1)
struct Matrix {
  float* p; int rows, cols;
  __device__ float* row(int r) const { return p + std::size_t(r) * cols; }
  __device__ bool has(int r, int c) const { return r < rows && c < cols; }
};
struct ConstMatrix {
  const float* p; int rows, cols;
  __device__ float operator()(int r, int c) const { return __ldg(p + std::size_t(r) * cols + c); }
  __device__ bool has(int r, int c) const { return r < rows && c < cols; }
};
__global__ void naive(Matrix out, ConstMatrix in) {
  const unsigned x = blockIdx.x % DIV(in.cols, 32u), y = blockIdx.x / DIV(in.cols, 32u);
  const int c = x * 32 + threadIdx.x, r = y * 8 + threadIdx.y;
  if (in.has(r, c)) out.row(c)[r] = in(r, c);
}
template <int Width, bool Diagonal>
__global__ void moved(Matrix out, ConstMatrix in, int vectors) {
  extern __shared__ __align__(16) float raw[];
  float (*tile)[Width] = reinterpret_cast<float (*)[Width]>(raw);
  const int down = DIV(in.rows, 32), across = DIV(in.cols, 32);
  int y, x;
  if (Diagonal) { x = blockIdx.x % across; y = (blockIdx.x / across + x) % down; }
  else { x = blockIdx.x % across; y = blockIdx.x / across; }
  const int r0 = y * 32, c0 = x * 32, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (vectors && r0 + 32 <= in.rows && c0 + 32 <= in.cols) {
    const int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
    const float4 q = __ldg(reinterpret_cast<const float4*>(in.p + std::size_t(r0 + r) * in.cols + c0 + c));
    tile[r][c] = q.x; tile[r][c + 1] = q.y; tile[r][c + 2] = q.z; tile[r][c + 3] = q.w;
    __syncthreads();
    reinterpret_cast<float4*>(out.row(c0 + r) + r0)[threadIdx.x % 8] =
        float4{tile[c][r], tile[c + 1][r], tile[c + 2][r], tile[c + 3][r]};
    return;
  }
  for (int i = warp; i < 32; i += 8)
    if (in.has(r0 + i, c0 + lane)) tile[i][lane] = in(r0 + i, c0 + lane);
  __syncthreads();
  for (int i = warp; i < 32; i += 8)
    if (out.has(c0 + i, r0 + lane)) out.row(c0 + i)[r0 + lane] = tile[lane][i];
}
template <class K>
static cudaError_t start(K kernel, int blocks, dim3 block, std::size_t bytes, float* out, const float* in, int rows, int cols) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks); config.blockDim = block; config.dynamicSmemBytes = bytes;
  const bool v = rows % 4 == 0 && cols % 4 == 0 && !((reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out)) & 15);
  return cudaLaunchKernelEx(&config, kernel, Matrix{out, cols, rows}, ConstMatrix{in, rows, cols}, int(v));
}
#define CHECK                                                     \
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;         \
  if (rows == 0 || cols == 0) return cudaSuccess;                 \
  if (out == nullptr || in == nullptr) return cudaErrorInvalidValue
cudaError_t transpose_naive(float* out, const float* in, int rows, int cols) {
  CHECK;
  naive<<<DIV(rows, 8) * DIV(cols, 32), dim3(32, 8)>>>(Matrix{out, cols, rows}, ConstMatrix{in, rows, cols});
  return cudaGetLastError();
}
cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols) {
  CHECK; return start(moved<32, false>, DIV(rows, 32) * DIV(cols, 32), 256, 32 * 32 * 4, out, in, rows, cols);
}
cudaError_t transpose_padded(float* out, const float* in, int rows, int cols) {
  CHECK; return start(moved<33, false>, DIV(rows, 32) * DIV(cols, 32), 256, 32 * 33 * 4, out, in, rows, cols);
}
cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols) {
  CHECK; return start(moved<33, true>, DIV(rows, 32) * DIV(cols, 32), 256, 32 * 33 * 4, out, in, rows, cols);
}
