#include "grading/problem/workload.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <variant>

namespace tilewise::grading {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  return (bytes + page - 1) / page * page;
}

void fill(std::span<std::byte> memory, std::size_t element_bytes, std::uint32_t bits) {
  const auto fill_with = [&](auto pattern) {
    for (std::size_t at = 0; at + sizeof pattern <= memory.size(); at += sizeof pattern) {
      std::memcpy(&memory[at], &pattern, sizeof pattern);
    }
  };
  element_bytes == sizeof(float) ? fill_with(bits) : fill_with(widened_nan(bits));
}

/// Lays rows out as far apart as the call has them.
void copy_rows(std::span<const std::byte> rows, const MatrixShape& shape, std::size_t element_bytes,
               std::span<std::byte> image) {
  const std::size_t row_bytes = static_cast<std::size_t>(shape.cols) * element_bytes;
  const std::size_t step = static_cast<std::size_t>(shape.leading_dimension) * element_bytes;
  if (row_bytes != step) fill(image, element_bytes, guard_bits);
  for (std::size_t row = 0; row < static_cast<std::size_t>(shape.rows); ++row) {
    std::ranges::copy(rows.subspan(row * row_bytes, row_bytes), image.subspan(row * step).begin());
  }
}

}  // namespace

const BufferArgument& matrix_called(std::string_view name, std::span<const Argument> arguments) {
  for (const Argument& argument : arguments) {
    const auto* matrix = std::get_if<BufferArgument>(&argument);
    if (matrix != nullptr && matrix->name == name) return *matrix;
  }
  throw std::logic_error("the call has no matrix " + std::string(name));
}

MatrixShape shape_of(std::string_view name, const NamedCall& call) {
  auto shape = call.matrices.begin();
  for (const Argument& argument : call.arguments) {
    const auto* matrix = std::get_if<BufferArgument>(&argument);
    if (matrix == nullptr) continue;
    if (matrix->name == name) return *shape;
    ++shape;
  }
  throw std::logic_error(call.text + " has no matrix " + std::string(name));
}

template <typename T>
Matrix<T> returned(std::string_view name, int rows, int cols, std::span<const Argument> arguments,
                   std::span<const std::byte> memory) {
  const BufferArgument& argument = matrix_called(name, arguments);
  Matrix<T> matrix(rows, cols);
  const std::size_t row_bytes = static_cast<std::size_t>(cols) * sizeof(T);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows) && cols > 0; ++row) {
    const std::size_t offset = argument.offset + row * argument.row_elements * sizeof(T);
    std::memcpy(&matrix.values[row * static_cast<std::size_t>(cols)],
                memory.subspan(offset, row_bytes).data(), row_bytes);
  }
  return matrix;
}

template Matrix<float> returned(std::string_view, int, int, std::span<const Argument>,
                                std::span<const std::byte>);
template Matrix<double> returned(std::string_view, int, int, std::span<const Argument>,
                                 std::span<const std::byte>);

std::vector<Argument> Workload::place(const NamedCall& call, std::span<std::byte> memory) const {
  std::vector<Argument> arguments = call.arguments;
  std::size_t offset = 0;
  auto shape = call.matrices.begin();
  for (Argument& argument : arguments) {
    auto* matrix = std::get_if<BufferArgument>(&argument);
    if (matrix == nullptr) continue;
    matrix->offset = offset;
    matrix->device_only = false;
    const auto given = contents(matrix->name);
    matrix->uninitialised = !given;
    const auto image = memory.subspan(offset, matrix->image_bytes);
    const std::size_t elements = static_cast<std::size_t>(shape->rows * shape->cols);
    if (!given) {
      fill(image, matrix->element_bytes, unwritten_bits);
    } else if (given->size() == elements * matrix->element_bytes) {
      copy_rows(*given, *shape, matrix->element_bytes, image);
    } else {
      throw std::logic_error(call.text + ": the matrix " + matrix->name + " has another size");
    }
    offset += whole_pages(matrix->image_bytes);
    ++shape;
  }
  return arguments;
}

std::size_t bytes_in_memory(const NamedCall& call) {
  std::size_t bytes = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      bytes += whole_pages(matrix->image_bytes);
    }
  }
  return bytes;
}

}  // namespace tilewise::grading
