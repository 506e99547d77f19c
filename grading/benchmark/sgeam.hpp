#pragma once

#include <functional>
#include <optional>

namespace tilewise::benchmark {

/// cuBLAS's transpose: in (rows, cols), out (cols, rows), row-major, device memory. Nothing where
/// cuBLAS was not found when this was built.
/// @throws std::runtime_error if cuBLAS fails
std::optional<std::function<void(float* out, const float* in, int rows, int cols)>> cublas_sgeam();

}  // namespace tilewise::benchmark
