#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <vector>

namespace tilewise::benchmark {

/// A solution with everything fixed but the order.
struct MatmulCase {
  std::string stage;  ///< "06_work_rx_ry"
  std::string call;   ///< "matmul_rx_ry(tile=16, rx=4, ry=4)"
  /// Rows and columns of C that a block of threads computes; 0 where the function chooses.
  int rows = 0;
  int cols = 0;
  /// A, B, C: (n, n), device memory.
  std::function<cudaError_t(const float* A, const float* B, float* C, int n)> run;

  /// Operations for each element read from global memory, 2 / (1 / rows + 1 / cols); 0 where the
  /// function chooses. put2025 calls it CGMA.
  double cgma() const;
};

/// The products of stages 3, 4, 5, 6 and 9, each in all its configurations.
std::vector<MatmulCase> matmul_cases();

}  // namespace tilewise::benchmark
