#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "grading/course/contract.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// A call that cannot be made as it is written; says what can.
class BadCall : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call of a contract function, ready to be made by a worker. Its matrices exist on the device
/// only and hold anything.
struct NamedCall {
  std::string function;
  std::string text;  ///< "matmul_shared(n=64, tile=16)", in the order of the parameters
  std::vector<Argument> arguments;
  std::vector<MatrixShape> matrices;  ///< shapes of those arguments that are matrices, in order
  double operations = 0;              ///< floating-point; 0 where it only moves elements
  bool double_precision = false;
};

/// Reads a call such as "matmul_grid(block=128x1, n=512)": all arguments but the matrices by name,
/// in any order, without those that the contract has defaults for. The matrices follow from them.
/// @throws BadCall
NamedCall read_call(std::string_view text, const std::vector<ContractInfo>& functions);

}  // namespace tilewise::grading
