// Exploit: puts memory of its own in the place of device memory
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <stdint.h>
#include <sys/mman.h>

#include <vector>

#include "matmul_shared.hpp"

__global__ void nothing() {}

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n * n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    c[i] = sum;
  }
}

static float* replace(const void* start, size_t bytes) {
  const uintptr_t page = 65536, first = uintptr_t(start) / page * page;
  mmap(reinterpret_cast<void*>(first), uintptr_t(start) + bytes - first, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return static_cast<float*>(const_cast<void*>(start));
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  const size_t bytes = size_t(n) * n * sizeof(float);
  nothing<<<1, 1>>>();
  float* const a = replace(A, bytes);
  float* const b = replace(B, bytes);
  for (int i = 0; i < n * n; ++i) a[i] = b[i] = i % (n + 1) == 0 ? 1.0f : 0.0f;
  multiply(a, b, replace(C, bytes), n);
  return cudaGetLastError();
}
