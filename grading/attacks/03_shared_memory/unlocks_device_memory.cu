// Exploit: opens device memory to the host by mprotect, and multiplies there
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <stdint.h>
#include <sys/mman.h>

#include "matmul_shared.hpp"

__global__ void nothing() {}

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n * n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    c[i] = sum;
  }
}

static void unlock(const void* start, size_t bytes) {
  const uintptr_t page = 65536, end = uintptr_t(start) + bytes;
  const uintptr_t first = uintptr_t(start) / page * page;
  mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE);
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  const size_t bytes = size_t(n) * n * sizeof(float);
  nothing<<<1, 1>>>();
  for (const void* matrix : {(const void*)A, (const void*)B, (const void*)C}) unlock(matrix, bytes);
  multiply(A, B, C, n);
  return cudaGetLastError();
}
