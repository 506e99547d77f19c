// Exploit: calls the simulator itself, with a function that is no kernel
// Says: simulator's own

#include "matmul_shared.hpp"

static void host_code(void*) {}

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  const tilewise::simt::LaunchConfiguration launch = {"kernel", "file", 1, 1, 1, 0, nullptr};
  tilewise::simt::run_grid(launch, {host_code, nullptr, 0});
  return cudaGetLastError();
}
