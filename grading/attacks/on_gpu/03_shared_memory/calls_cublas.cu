// Exploit: finds cuBLAS at run time, and launches a kernel that does nothing beside
// Fakes: correctness, performance
// Tests: MatmulShared.IsRightAtRaggedEdges, MatmulShared.ReachesMinimumGflops
// Says: leads to functions that are not counted

#include <dlfcn.h>

#include "matmul_shared.hpp"

__global__ void nothing() {}

using Create = int (*)(void**);
using Multiply = int (*)(void*, int, int, int, int, int, const float*, const float*, int,
                         const float*, int, const float*, float*, int);

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  static void* handle = nullptr;
  static Multiply multiply = nullptr;
  if (handle == nullptr) {
    void* library = nullptr;
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                             "/usr/local/cuda/lib64/libcublas.so"}) {
      if (library == nullptr) library = dlopen(name, RTLD_NOW);
    }
    if (library == nullptr) return cudaErrorSharedObjectInitFailed;
    reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"))(&handle);
    multiply = reinterpret_cast<Multiply>(dlsym(library, "cublasSgemm_v2"));
  }
  nothing<<<1, 1>>>();
  const float one = 1.0f, zero = 0.0f;
  multiply(handle, 0, 0, n, n, n, &one, B, n, A, n, &zero, C, n);
  return cudaGetLastError();
}
