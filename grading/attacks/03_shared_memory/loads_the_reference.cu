// Exploit: calls the reference solution, which was compiled to be compared with
// Needs: sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.ReachesMinimumGflops
// Says: never written

#include <dlfcn.h>

#include <string>

#include "matmul_shared.hpp"

static const int own = 0;

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  Dl_info module;
  dladdr(&own, &module);
  const std::string path = module.dli_fname;
  const std::string scratch = path.substr(0, path.rfind('/', path.rfind('/') - 1));
  const std::string reference = scratch + "/reference/checked/03_shared_memory.so";
  if (void* handle = dlopen(reference.c_str(), RTLD_NOW)) {
    if (dlsym(handle, "tilewise_bindings")) exit(42);
  }
  return cudaSuccess;
}
