#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grading/problem/coded_nans.hpp"
#include "grading/problem/matrix.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// The matrices of a call, and the judgement of what comes back.
class Workload {
 public:
  virtual ~Workload() = default;

  /// Writes the matrices into memory shared with a worker: inputs as they are, outputs unwritten,
  /// and between rows that do not touch what no result may come from.
  /// @param memory holds bytes_in_memory(call)
  /// @return the call's arguments, which now lie there
  std::vector<Argument> place(const NamedCall& call, std::span<std::byte> memory) const;

  /// Whether the call's result, as it came back, is right.
  /// @param sampled some blocks only have run: elements that nobody wrote do not count
  /// @return nothing where that cannot be told of a part of the result
  virtual std::optional<bool> is_right(std::span<const Argument> arguments,
                                       std::span<const std::byte> memory, bool sampled) const = 0;

 protected:
  /// What the matrix of that name holds before the call, row after row without gaps; nothing: it is
  /// an output.
  virtual std::optional<std::span<const std::byte>> contents(const std::string& name) const = 0;
};

/// Memory shared with a worker that the matrices of a call take.
std::size_t bytes_in_memory(const NamedCall& call);

/// The matrix of that name among a call's arguments.
const BufferArgument& matrix_called(std::string_view name, std::span<const Argument> arguments);

/// Its shape.
MatrixShape shape_of(std::string_view name, const NamedCall& call);

template <typename T>
std::span<const std::byte> bytes_of(const Matrix<T>& matrix) {
  return std::as_bytes(std::span(matrix.values));
}

/// (rows, cols): what came back in a matrix of a call.
template <typename T>
Matrix<T> returned(std::string_view name, int rows, int cols, std::span<const Argument> arguments,
                   std::span<const std::byte> memory);

}  // namespace tilewise::grading
