#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "grading/course/contract.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Thrown for a call that cannot be made as written. Its message says which calls can.
class BadCall : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call of a contract function, ready for a worker. Its matrices exist on the device only and
/// hold arbitrary values.
struct NamedCall {
  std::string function;
  std::string text;  ///< "matmul_shared(n=64, tile=16)", in the order of the parameters
  std::vector<Argument> arguments;
  std::vector<MatrixShape> matrices;  ///< the shapes of the arguments that are matrices, in order
  /// Floating-point operations; 0 if the call only moves elements.
  double operations = 0;
  bool double_precision = false;
};

/// Reads a call such as "matmul_grid(block=128x1, n=512)". All arguments except matrices are given
/// by name, in any order; those that have defaults in the contract may be left out. The matrices
/// follow from them.
/// @throws BadCall
NamedCall read_call(std::string_view text, const std::vector<ContractInfo>& functions);

}  // namespace tilewise::grading
