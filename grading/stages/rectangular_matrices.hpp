#pragma once

#include <vector>

#include "grading/examiner/contract.hpp"

namespace tilewise::grading {

/// out and in of a transpose.
inline std::vector<MatrixShape> transpose_matrices(const Integers& arguments) {
  const std::int64_t rows = arguments.at("rows"), cols = arguments.at("cols");
  return {{cols, rows}, {rows, cols}};
}

/// A, B and C of alpha * A * B + beta * C, each as wide as its leading dimension.
inline std::vector<MatrixShape> dgemm_matrices(const Integers& arguments) {
  const std::int64_t m = arguments.at("m"), k = arguments.at("k");
  return {{m, arguments.at("lda")}, {k, arguments.at("ldb")}, {m, arguments.at("ldc")}};
}

/// A and B of A * X = alpha * B.
inline std::vector<MatrixShape> dtrsm_matrices(const Integers& arguments) {
  const std::int64_t m = arguments.at("m");
  return {{m, arguments.at("lda")}, {m, arguments.at("ldb")}};
}

/// The same, A of order 32.
inline std::vector<MatrixShape> dtrsm_32_matrices(const Integers& arguments) {
  return {{32, arguments.at("lda")}, {32, arguments.at("ldb")}};
}

}  // namespace tilewise::grading
