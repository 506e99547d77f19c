#pragma once

/// The kernels whose speed is measured: in the fast build, in the checked one, and on HIP-CPU.
/// A, B, C: (n, n), n a multiple of 16.
namespace fast {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace fast

namespace checked {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace checked

namespace hip_cpu {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace hip_cpu
