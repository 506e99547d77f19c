#pragma once

#include <vector>

#include "grading/examiner/contract.hpp"

namespace tilewise::grading {

/// A, B and C of a product, all of order n.
inline std::vector<MatrixShape> square_matrices(const Integers& arguments) {
  const std::int64_t n = arguments.at("n");
  return {{n, n}, {n, n}, {n, n}};
}

}  // namespace tilewise::grading
