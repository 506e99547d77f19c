#pragma once

#include <functional>
#include <optional>

namespace tilewise::benchmark {

/// cuBLAS's product in full single precision: A, B, C (n, n), row-major, device memory. Nothing
/// where cuBLAS was not found when this was built.
/// @throws std::runtime_error if cuBLAS fails
std::optional<std::function<void(const float* A, const float* B, float* C, int n)>> cublas_sgemm();

}  // namespace tilewise::benchmark
