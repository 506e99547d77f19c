#pragma once

#include <filesystem>

#include "grading/problem/matrix.hpp"

namespace tilewise::grading {

/// Files of NumPy (.npy, numpy.lib.format versions 1.0 and 2.0) that hold one matrix of float32 or
/// float64 in C order, little-endian. Our own reader, small as it is, because those of libraries
/// that Debian has take a file that ends too early, or keys in another order than NumPy's own, for
/// something else.

/// Rows and columns, as the header has them; the file is as long as they say.
struct NpyShape {
  int rows = 0;
  int cols = 0;

  bool operator==(const NpyShape&) const = default;
};

/// @throws std::runtime_error naming the file and what is wrong with it
NpyShape read_npy_shape(const std::filesystem::path& file);

/// The matrix; each number is converted to T.
/// @throws as read_npy_shape
template <typename T>
Matrix<T> read_npy(const std::filesystem::path& file);

/// Writes through a file beside it, so that one with that name is always whole.
/// @throws std::runtime_error naming the file
template <typename T>
void write_npy(const std::filesystem::path& file, const Matrix<T>& matrix);

}  // namespace tilewise::grading
