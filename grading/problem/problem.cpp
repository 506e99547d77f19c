#include "grading/problem/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <variant>
#include <vector>

#include "common/base/language.hpp"
#include "grading/problem/inputs.hpp"

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
  if (element_bytes == sizeof(__half)) return fill_with(guard_bits_half);
  element_bytes == sizeof(float) ? fill_with(bits) : fill_with(widened_nan(bits));
}

/// Lays rows out as far apart as the call asks.
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

namespace {

/// A workload with random inputs. The matrices that the function does not take as const are
/// outputs.
class UnjudgedWorkload : public Workload {
 public:
  UnjudgedWorkload(const NamedCall& call, std::uint64_t seed) {
    Random random = seeded_random(seed, call.function);
    auto shape = call.matrices.begin();
    for (const Argument& argument : call.arguments) {
      const auto* matrix = std::get_if<BufferArgument>(&argument);
      if (matrix == nullptr) continue;
      const int rows = static_cast<int>(shape->rows), cols = static_cast<int>(shape->cols);
      ++shape;
      if (!matrix->read_only) continue;
      const auto keep = [&](const auto& contents) {
        const auto bytes = bytes_of(contents);
        inputs_[matrix->name].assign(bytes.begin(), bytes.end());
      };
      if (matrix->element_bytes == sizeof(__half)) {
        keep(halves_of(random_half_matrix(rows, cols, random)));
      } else if (matrix->element_bytes == sizeof(float)) {
        keep(random_matrix(rows, cols, random));
      } else {
        keep(random_double_matrix(rows, cols, random));
      }
    }
  }

  std::optional<bool> is_right(std::span<const Argument>, std::span<const std::byte>,
                               bool) const override {
    return std::nullopt;
  }

 protected:
  std::optional<std::span<const std::byte>> contents(const std::string& name) const override {
    const auto input = inputs_.find(name);
    if (input == inputs_.end()) return std::nullopt;
    return input->second;
  }

 private:
  std::map<std::string, std::vector<std::byte>> inputs_;
};

class UnknownProblem : public Problem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path&) const override {
    return std::make_unique<UnjudgedWorkload>(call, inputs.seed);
  }
};

}  // namespace

std::string Problem::obstacle_to(const InputChoice& inputs) const {
  return inputs.kind == InputChoice::Kind::random ? "" : tr("its inputs are random only");
}

const Problem& problem_called(std::string_view name) {
  static const UnknownProblem unknown;
  static const std::map<std::string_view, const Problem*> all = {
      {"product", &product_problem()},
      {"gemm", &gemm_problem()},
      {"transpose", &transpose_problem()},
      {"triangular_solve", &triangular_solve_problem()},
      {"sum", &sum_problem()},
      {"gemv", &gemv_problem()},
      {"softmax", &softmax_problem()}};
  if (name.empty()) return unknown;
  if (const auto known = all.find(name); known != all.end()) return *known->second;
  std::vector<std::string_view> names;
  for (const auto& entry : all) names.push_back(entry.first);
  throw std::invalid_argument(
      fmt::format("'{}' is no problem; there are {}", name, fmt::join(names, ", ")));
}

std::size_t bytes_to_judge(const Problem& problem, const NamedCall& call) {
  // There is one copy for the inputs, and one for what came back.
  constexpr std::size_t copies = 2;
  std::size_t elements = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      elements = std::max(elements, matrix->image_bytes / matrix->element_bytes);
    }
  }
  return copies * bytes_in_memory(call) + problem.doubles_to_judge() * sizeof(double) * elements;
}

}  // namespace tilewise::grading
