// Exploit: takes memory until the machine has none left
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.FetchesEachTileOnce
// Says: memory

#include "matmul_shared.hpp"

static char* volatile latest;

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  for (;;) {
    latest = new char[size_t{64} << 20];
    *latest = 1;
  }
}
