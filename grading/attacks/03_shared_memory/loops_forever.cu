// Exploit: never ends, and ignores being asked to
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.IsFreeOfRacesAndStrayAccesses
// Says: still running

#include <signal.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
  for (volatile int i = 0;; i = i + 1) {
  }
}
