#pragma once

#include <vector>

#include "grading/course/contract.hpp"

namespace tilewise::grading {

/// A, B and C of a product, all of order n.
inline constexpr MatrixUse square_matrices{
    [](const Integers& arguments) -> std::vector<MatrixShape> {
      const std::int64_t n = arguments.at("n");
      return {{n, n}, {n, n}, {n, n}};
    },
    [](const Integers& arguments) {
      const auto n = static_cast<double>(arguments.at("n"));
      return 2 * n * n * n;
    }};

/// out and in of a transpose.
inline constexpr MatrixUse transpose_matrices{
    [](const Integers& arguments) -> std::vector<MatrixShape> {
      const std::int64_t rows = arguments.at("rows"), cols = arguments.at("cols");
      return {{cols, rows}, {rows, cols}};
    }};

/// A, B and C of alpha * A * B + beta * C.
inline constexpr MatrixUse dgemm_matrices{
    [](const Integers& arguments) -> std::vector<MatrixShape> {
      const std::int64_t m = arguments.at("m"), n = arguments.at("n"), k = arguments.at("k");
      return {
          {m, k, arguments.at("lda")}, {k, n, arguments.at("ldb")}, {m, n, arguments.at("ldc")}};
    },
    [](const Integers& arguments) {
      return 2.0 * static_cast<double>(arguments.at("m")) * static_cast<double>(arguments.at("n")) *
             static_cast<double>(arguments.at("k"));
    }};

/// A and B of A * X = alpha * B.
inline constexpr MatrixUse dtrsm_matrices{
    [](const Integers& arguments) -> std::vector<MatrixShape> {
      const std::int64_t m = arguments.at("m");
      return {{m, m, arguments.at("lda")}, {m, arguments.at("n"), arguments.at("ldb")}};
    },
    [](const Integers& arguments) {
      const auto m = static_cast<double>(arguments.at("m"));
      return m * m * static_cast<double>(arguments.at("n"));
    }};

/// The same, A of order 32.
inline constexpr MatrixUse dtrsm_32_matrices{
    [](const Integers& arguments) -> std::vector<MatrixShape> {
      return {{32, 32, arguments.at("lda")}, {32, arguments.at("n"), arguments.at("ldb")}};
    },
    [](const Integers& arguments) { return 32.0 * 32 * static_cast<double>(arguments.at("n")); }};

}  // namespace tilewise::grading
