// Exploit: static data that fill the disk where modules are kept
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: takes more than 32 MiB once it is compiled
#include "matmul_shared.hpp"

char data[200 << 20] = {1};

cudaError_t matmul_shared(const float*, const float*, float*, int, int) { return cudaSuccess; }
