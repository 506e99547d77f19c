#pragma once

#include <cuda_runtime.h>

/// The kernels whose speed on the simulator is measured, in the fast build and in the checked one.
/// A, B, C: (n, n), n a multiple of 16.
namespace fast {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace fast

namespace checked {
void tiled_product(const float* A, const float* B, float* C, int n);
void naive_product(const float* A, const float* B, float* C, int n);
}  // namespace checked
