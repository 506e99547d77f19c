// The tiled product as one can write it for a processor: between two barriers there are loops over
// the threads of a block, the innermost over neighbouring threads, and arrays hold what each thread
// keeps.

#include "products.hpp"

namespace by_hand {

constexpr int tile = 16;

static void run_block(const float* A, const float* B, float* C, int n, int row0, int col0) {
  float As[tile][tile], Bs[tile][tile], sum[tile][tile] = {};
  for (int k0 = 0; k0 < n; k0 += tile) {
    for (int ty = 0; ty < tile; ++ty) {
      for (int tx = 0; tx < tile; ++tx) {
        As[ty][tx] = A[(row0 + ty) * n + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * n + col0 + tx];
      }
    }
    for (int ty = 0; ty < tile; ++ty) {
      for (int k = 0; k < tile; ++k) {
        for (int tx = 0; tx < tile; ++tx) sum[ty][tx] += As[ty][k] * Bs[k][tx];
      }
    }
  }
  for (int ty = 0; ty < tile; ++ty) {
    for (int tx = 0; tx < tile; ++tx) C[(row0 + ty) * n + col0 + tx] = sum[ty][tx];
  }
}

void tiled_product(const float* A, const float* B, float* C, int n) {
  for (int row0 = 0; row0 < n; row0 += tile) {
    for (int col0 = 0; col0 < n; col0 += tile) run_block(A, B, C, n, row0, col0);
  }
}

}  // namespace by_hand
