// Exploit: tells the simulator not to look, and computes with a race
// Tests: MatmulShared.IsFreeOfRacesAndStrayAccesses
// Says: race

#include <dlfcn.h>

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
  __shared__ int raced;
  raced = threadIdx.x;
  C[row * n + col] += 0 * raced;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  struct NothingWanted {
    char bytes[64];
  } watch = {};
  using Watch = void (*)(const NothingWanted&);
  void* const off = dlsym(RTLD_DEFAULT, "_ZN8tilewise4simt5watchERKNS0_5WatchE");
  if (off) reinterpret_cast<Watch>(off)(watch);
  using Controls = const Watch* (*)();
  void* const controls = dlsym(RTLD_DEFAULT, "tilewise_simt_controls");
  const Watch* const table = controls ? reinterpret_cast<Controls>(controls)() : nullptr;
  constexpr int place_of_watch = 7;
  if (table) table[place_of_watch](watch);
  if (n == 0) return cudaSuccess;
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
