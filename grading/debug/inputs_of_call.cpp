#include "grading/debug/inputs_of_call.hpp"

#include <bit>
#include <cstring>
#include <span>
#include <variant>

#include "grading/examiner/device_array.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

bool reads_output(const NamedCall& call, const ContractInfo& contract) {
  for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
    if (contract.parameters[i].name != "beta") continue;
    const auto* beta = std::get_if<double>(&call.arguments[i]);
    return beta != nullptr && *beta != 0;
  }
  return false;
}

/// What one matrix holds.
std::vector<std::byte> contents_of(const BufferArgument& matrix, bool given, bool triangular,
                                   Random& random) {
  const int cols = static_cast<int>(matrix.row_elements);
  const std::size_t elements = matrix.payload_bytes / matrix.element_bytes;
  const int rows = cols == 0 ? 0 : static_cast<int>(elements / matrix.row_elements);
  const auto bytes = [](const auto& values) {
    const auto view = std::as_bytes(std::span(values));
    return std::vector<std::byte>(view.begin(), view.end());
  };
  if (matrix.element_bytes == sizeof(float)) {
    if (given) return bytes(random_matrix(rows, cols, random).values);
    return bytes(std::vector(elements, std::bit_cast<float>(unwritten_bits)));
  }
  if (triangular) return bytes(random_lower_triangle(rows, random).values);
  if (given) return bytes(random_double_matrix(rows, cols, random).values);
  return bytes(std::vector(elements, std::bit_cast<double>(unwritten_bits_double)));
}

}  // namespace

CallInputs inputs_of(const NamedCall& call, const ContractInfo& contract, bool solves) {
  Random random = seeded_random(0, call.text);
  CallInputs inputs{call.arguments, {}};
  const bool gives_output = solves || reads_output(call, contract);
  for (Argument& argument : inputs.arguments) {
    auto* matrix = std::get_if<BufferArgument>(&argument);
    if (matrix == nullptr) continue;
    const bool square = matrix->row_elements * matrix->row_elements * matrix->element_bytes ==
                        matrix->payload_bytes;
    matrix->device_only = false;
    matrix->offset = inputs.matrices.size();
    const std::vector<std::byte> contents = contents_of(
        *matrix, matrix->read_only || gives_output, solves && matrix->read_only && square, random);
    inputs.matrices.insert(inputs.matrices.end(), contents.begin(), contents.end());
  }
  return inputs;
}

}  // namespace tilewise::grading
