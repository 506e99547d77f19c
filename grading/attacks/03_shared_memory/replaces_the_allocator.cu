// Exploit: gives the worker memory of its own choice, the same to everybody
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <stdlib.h>

#include <new>

#include "matmul_shared.hpp"

#define EXPORTED __attribute__((visibility("default")))

static char memory[1 << 20];

extern "C" EXPORTED void* malloc(size_t) noexcept { return memory; }
extern "C" EXPORTED void free(void*) noexcept {}
EXPORTED void* operator new(size_t) { return memory; }
EXPORTED void operator delete(void*) noexcept {}

cudaError_t matmul_shared(const float*, const float*, float*, int, int) { return cudaSuccess; }
