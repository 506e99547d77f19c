#pragma once

#include "vector_types.hpp"

// Read through a fixed offset from the thread pointer: the library that defines these variables is
// loaded at program start, so the cheapest thread-local model is safe for every module.
#if defined(__ELF__)
#define TILEWISE_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#else
#define TILEWISE_INITIAL_EXEC
#endif

// __thread, not thread_local: no initialiser runs, so the compiler emits no wrapper call per read.
extern __thread uint3 threadIdx TILEWISE_INITIAL_EXEC;
extern __thread uint3 blockIdx TILEWISE_INITIAL_EXEC;
extern __thread uint3 blockDim TILEWISE_INITIAL_EXEC;
extern __thread uint3 gridDim TILEWISE_INITIAL_EXEC;

constexpr int warpSize = 32;
