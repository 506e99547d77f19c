// Exploit: leaves by an exception that nobody knows
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.FetchesEachTileOnce
// Says:

#include "matmul_shared.hpp"

struct Nobody {};

cudaError_t matmul_shared(const float*, const float*, float*, int, int) { throw Nobody(); }
