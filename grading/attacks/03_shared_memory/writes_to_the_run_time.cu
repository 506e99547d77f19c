// Exploit: a kernel that changes what the run-time knows, in calls whose accesses nobody counts
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.KeepsInsideItsMatrices
// Says: which is no memory of a GPU's

#include <link.h>
#include <string.h>

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n, int* known) {
  known[0] = known[0] + (n < 0);  // as it was
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

// Where the run-time's variables end, in this process as in the one that runs kernels.
int find_variables(dl_phdr_info* info, size_t, void* found) {
  if (strstr(info->dlpi_name, "libtilewise_simt") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    *static_cast<int**>(found) =
        reinterpret_cast<int*>((info->dlpi_addr + part.p_vaddr + part.p_memsz - 64) & ~size_t{3});
  }
  return 1;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  int* known = nullptr;
  dl_iterate_phdr(find_variables, &known);
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n, known);
  return cudaGetLastError();
}
