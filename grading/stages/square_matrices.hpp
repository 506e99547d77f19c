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

}  // namespace tilewise::grading
