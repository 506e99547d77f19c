// Exploit: copies by a run-time of CUDA that it loads itself, and that nobody counts
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says:

#include <dlfcn.h>

#include <vector>

#include "matmul_shared.hpp"

__global__ void nothing() {}

using Copy = cudaError_t (*)(void*, const void*, size_t, int);

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  static void* library = nullptr;
  for (const char* name : {"libcudart.so.13", "libcudart.so.12", "libcudart.so",
                           "/usr/local/cuda/lib64/libcudart.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW);
  }
  if (library == nullptr) return cudaErrorSharedObjectInitFailed;
  const auto copy = reinterpret_cast<Copy>(dlsym(library, "cudaMemcpy"));
  const size_t elements = size_t(n) * n, bytes = elements * sizeof(float);
  std::vector<float> a(elements), b(elements), c(elements, 0.0f);
  copy(a.data(), A, bytes, 2);
  copy(b.data(), B, bytes, 2);
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < n; ++k) {
      for (int col = 0; col < n; ++col) c[row * n + col] += a[row * n + k] * b[k * n + col];
    }
  }
  nothing<<<1, 1>>>();
  copy(C, c.data(), bytes, 1);
  return cudaGetLastError();
}
