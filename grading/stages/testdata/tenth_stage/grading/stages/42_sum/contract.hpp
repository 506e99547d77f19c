#pragma once

#include <vector>

#include "grading/course/contract.hpp"
#include "labs/42_sum/sum.hpp"

namespace tilewise::grading::contracts {

/// One element, and a vector as a row.
inline constexpr MatrixUse sum_and_vector{
    [](const Integers& arguments) -> std::vector<MatrixShape> {
      return {{1, 1}, {1, arguments.at("n")}};
    }};

inline constexpr auto sum = CONTRACT(sum, sum_and_vector, "sum", "x", "n");

}  // namespace tilewise::grading::contracts
