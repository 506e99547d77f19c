#include "grading/problem/product_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "common/base/language.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/problem/reference.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

std::string name_of(const std::filesystem::path& file) { return printable(file.string()); }

/// Returns the order of the square matrix in a file.
int order_in(const std::filesystem::path& file) {
  const NpyShape shape = read_npy_shape(file);
  if (shape.rows == shape.cols && shape.rows > 0) return shape.rows;
  throw std::runtime_error(tr("{} holds a matrix of {} x {}; square ones are multiplied",
                              name_of(file), shape.rows, shape.cols));
}

}  // namespace

InputChoice read_input_choice(const std::string& text, std::uint64_t seed) {
  InputChoice choice;
  choice.seed = seed;
  if (text == "random") return choice;
  if (text == "linear") {
    choice.kind = InputChoice::Kind::linear;
    return choice;
  }
  const std::size_t comma = text.find(',');
  if (comma == text.npos || comma == 0 || text.find(',', comma + 1) != text.npos ||
      comma + 1 == text.size()) {
    throw std::runtime_error(tr(
        "--inputs '{}': there are random, linear, and two files with a comma between, A.npy,B.npy",
        printable(text)));
  }
  choice.kind = InputChoice::Kind::files;
  choice.A = text.substr(0, comma);
  choice.B = text.substr(comma + 1);
  choice.order = order_in(choice.A);
  if (const int other = order_in(choice.B); other != choice.order) {
    throw std::runtime_error(tr("{} is of order {}, {} of order {}; they must agree",
                                name_of(choice.A), choice.order, name_of(choice.B), other));
  }
  return choice;
}

std::string describe(const InputChoice& choice) {
  switch (choice.kind) {
    case InputChoice::Kind::random:
      return fmt::format("random, seed {}", choice.seed);
    case InputChoice::Kind::linear:
      return "linear";
    case InputChoice::Kind::files:
      return fmt::format("{}, {}", choice.A.string(), choice.B.string());
  }
  throw std::logic_error("no choice of inputs");
}

namespace {

namespace fs = std::filesystem;

template <typename T>
Matrix<T> counting(char name, int n) {
  Matrix<T> matrix(n, n);
  const std::size_t last = matrix.values.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    matrix.values[i] = static_cast<T>(name == 'A' ? i : last - i);
  }
  return matrix;
}

Matrix<float> random_square(int n, Random& random, float) { return random_matrix(n, n, random); }
Matrix<double> random_square(int n, Random& random, double) {
  return random_double_matrix(n, n, random);
}

ReferenceProduct product_of(const Matrix<float>& A, const Matrix<float>& B) {
  return multiply(A, B);
}

ReferenceProduct product_of(const Matrix<double>& A, const Matrix<double>& B) {
  return multiply_add({.A = A, .B = B, .C = Matrix<double>(A.rows, B.cols)});
}

using Vector = std::vector<double>;

/// Multiplies the matrix, or its absolute values, by a vector.
template <typename T>
Vector times(const Matrix<T>& matrix, const Vector& x, bool absolute) {
  Vector y(static_cast<std::size_t>(matrix.rows));
  for (int row = 0; row < matrix.rows; ++row) {
    double sum = 0;
    for (int col = 0; col < matrix.cols; ++col) {
      const double value = matrix(row, col);
      sum += (absolute ? std::abs(value) : value) * x[std::size_t(col)];
    }
    y[std::size_t(row)] = sum;
  }
  return y;
}

/// Whether a reference belongs to its inputs. This is Freivalds' check: it compares a vector
/// multiplied by A * B with that vector multiplied by the stored product. An element that is off by
/// more than rounding shows.
template <typename T>
bool belong_together(const ProductInputs<T>& inputs) {
  const Matrix<double>&product = inputs.reference.product, &magnitude = inputs.reference.magnitude;
  const int n = inputs.A.rows;
  Random random(1);
  Vector x(static_cast<std::size_t>(n));
  std::ranges::generate(x, [&] { return std::uniform_real_distribution<double>(0.5, 1)(random); });
  const Vector expected = times(inputs.A, times(inputs.B, x, false), false);
  const Vector largest = times(inputs.A, times(inputs.B, x, true), true);
  const Vector found = times(product, x, false), found_largest = times(magnitude, x, false);
  constexpr double rounding = 1e-11;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double allowed = rounding * largest[i];
    // Written this way round so that NaN does not belong.
    const bool fits = std::abs(found[i] - expected[i]) <= allowed &&
                      std::abs(found_largest[i] - largest[i]) <= allowed;
    if (!fits) return false;
  }
  return true;
}

template <typename T>
Matrix<T> read_square(const fs::path& file, int n) {
  Matrix<T> matrix = read_npy<T>(file);
  if (matrix.rows == n && matrix.cols == n) return matrix;
  throw std::runtime_error(tr("{} holds a matrix of {} x {} rather than {} x {}; remove it",
                              printable(file.string()), matrix.rows, matrix.cols, n, n));
}

}  // namespace

fs::path ProductStore::file_of(const std::string& what, int n, std::size_t element_bytes) const {
  using Kind = InputChoice::Kind;
  const std::string kind =
      choice_.kind == Kind::random ? fmt::format("random-seed{}", choice_.seed)
      : choice_.kind == Kind::linear
          ? "linear"
          : fmt::format("{}-{}", choice_.A.stem().string(), choice_.B.stem().string());
  return folder_ / fmt::format("{}-float{}-n{}-{}.npy", kind, 8 * element_bytes, n, what);
}

template <typename T>
Matrix<T> ProductStore::make(char name, int n) const {
  switch (choice_.kind) {
    case InputChoice::Kind::random: {
      Random random = seeded_random(choice_.seed, fmt::format("{} of order {}", name, n));
      return random_square(n, random, T{});
    }
    case InputChoice::Kind::linear:
      return counting<T>(name, n);
    case InputChoice::Kind::files:
      return read_npy<T>(name == 'A' ? choice_.A : choice_.B);
  }
  throw std::logic_error("no choice of inputs");
}

template <typename T>
Matrix<T> ProductStore::input(char name, int n) const {
  // The user's own files are not copied into the folder.
  if (folder_.empty() || choice_.kind == InputChoice::Kind::files) return make<T>(name, n);
  const fs::path file = file_of(std::string(1, name), n, sizeof(T));
  if (fs::exists(file)) return read_square<T>(file, n);
  Matrix<T> matrix = make<T>(name, n);
  write_npy(file, matrix);
  return matrix;
}

template <typename T>
ProductInputs<T> ProductStore::get(int n) const {
  ProductInputs<T> inputs{input<T>('A', n), input<T>('B', n), {}};
  const fs::path product = file_of("product", n, sizeof(T));
  const fs::path magnitude = file_of("magnitude", n, sizeof(T));
  if (folder_.empty() || !fs::exists(product) || !fs::exists(magnitude)) {
    inputs.reference = product_of(inputs.A, inputs.B);
    if (folder_.empty()) return inputs;
    write_npy(magnitude, inputs.reference.magnitude);
    write_npy(product, inputs.reference.product);
    return inputs;
  }
  ReferenceProduct& reference = inputs.reference;
  reference.summation_length = n;
  for (int row = 0; row < n; ++row) reference.rows.push_back(row);
  reference.product = read_square<double>(product, n);
  reference.magnitude = read_square<double>(magnitude, n);
  if (!belong_together(inputs)) {
    throw std::runtime_error(
        tr("{} is not the product of its matrices, or one of them is damaged; remove the files of "
           "this order from the store",
           printable(product.string())));
  }
  return inputs;
}

template ProductInputs<float> ProductStore::get(int n) const;
template ProductInputs<double> ProductStore::get(int n) const;

}  // namespace tilewise::grading
