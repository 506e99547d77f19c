// Exploit: a child in a session of its own, which would outlive its worker and use the GPU
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: expected cudaSuccess

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "matmul_shared.hpp"

extern char** environ;

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[size_t(row) * n + k] * B[size_t(k) * n + col];
  C[size_t(row) * n + col] = sum;
}

// By any of the ways that there are.
static bool could_start() {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    _exit(0);
  }
  char name[] = "true";
  char* arguments[] = {name, nullptr};
  pid_t spawned = -1;
  const bool has_spawned =
      posix_spawn(&spawned, "/bin/true", nullptr, nullptr, arguments, environ) == 0;
  return child > 0 || has_spawned || kill(getppid(), 0) == 0;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  if (!could_start()) return cudaErrorNotPermitted;
  const int blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
