// Exploit: keeps the processors busy after it has returned, for which it then waits
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.IsRightAtRaggedEdges
// Says: still running
#include <thread>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  for (int thread = 0; thread < 16; ++thread) {
    std::thread([] {
      for (volatile long i = 0;; i = i + 1) {
      }
    }).detach();
  }
  for (volatile long i = 0;; i = i + 1) {
  }
}
