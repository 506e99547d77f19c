#pragma once

/// The kernels whose speed is measured: in the fast build, in the checked build, compiled by clang,
/// which also splits them, and on HIP-CPU; and the tiled product split by hand.
/// A, B, C: (n, n), n a multiple of 16.
namespace fast {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace fast

namespace checked {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace checked

namespace by_clang {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace by_clang

namespace by_hand {
void tiled_product(const float* A, const float* B, float* C, int n);
}  // namespace by_hand

namespace hip_cpu {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace hip_cpu
