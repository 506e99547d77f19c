#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewise::grading {

/// Row-major matrix on the host.
template <typename T>
struct Matrix {
  int rows = 0;
  int cols = 0;
  std::vector<T> values;  ///< (rows, cols)

  Matrix() = default;
  Matrix(int rows_, int cols_, T value = T{})
      : rows(rows_), cols(cols_), values(std::size_t(rows_) * cols_, value) {}

  T& operator()(int row, int col) { return values[std::size_t(row) * cols + col]; }
  const T& operator()(int row, int col) const { return values[std::size_t(row) * cols + col]; }
};

inline void make_absolute(Matrix<double>& matrix) {
  for (double& value : matrix.values) value = std::abs(value);
}

template <typename T>
Matrix<T> transposed(const Matrix<T>& matrix) {
  Matrix<T> result(matrix.cols, matrix.rows);
  for (int row = 0; row < matrix.rows; ++row) {
    for (int col = 0; col < matrix.cols; ++col) result(col, row) = matrix(row, col);
  }
  return result;
}

// Numbers that show where an element comes from, or that nobody has written it.

/// Bits of the quiet NaN an output holds before a call. An element that still has them afterwards
/// was never written.
inline constexpr std::uint32_t unwritten_bits = 0x7FC0'0BAD;

/// Bits of the quiet NaN that lies around inputs: in guard bands and between cols and the leading
/// dimension. x86 and arm64 carry a NaN's bits through arithmetic, so a result with these bits was
/// computed from something outside a matrix.
inline constexpr std::uint32_t guard_bits = 0x7FC0'6A4D;

/// Bits of what lies around outputs. It is an ordinary number, about 1.23, since a stray store may
/// well write a NaN that was read outside, and a stray += would leave a NaN as it is.
inline constexpr std::uint32_t output_guard_bits = 0x3F9D'F3B6;

/// The double that a float NaN becomes. A NaN that passes through float on its way keeps its bits.
constexpr std::uint64_t widened_nan(std::uint32_t bits) {
  return 0x7FF0'0000'0000'0000 | std::uint64_t{bits & 0x007F'FFFF} << 29;
}

/// The same three in double precision.
inline constexpr std::uint64_t unwritten_bits_double = widened_nan(unwritten_bits);
inline constexpr std::uint64_t guard_bits_double = widened_nan(guard_bits);
inline constexpr std::uint64_t output_guard_bits_double = 0x3FF3'BE76'C8B4'3958;

/// Bits of the quiet NaN that lies around inputs of half precision. Outputs never have this type.
inline constexpr std::uint16_t guard_bits_half = 0x7E4D;

/// Whether a number has exactly these bits (a comparison with == never finds a NaN).
inline bool has_bits(float value, std::uint32_t bits) {
  return std::bit_cast<std::uint32_t>(value) == bits;
}
inline bool has_bits(double value, std::uint64_t bits) {
  return std::bit_cast<std::uint64_t>(value) == bits;
}

/// Whether nobody has written an element.
inline bool is_unwritten(float value) { return has_bits(value, unwritten_bits); }
inline bool is_unwritten(double value) { return has_bits(value, unwritten_bits_double); }

}  // namespace tilewise::grading
