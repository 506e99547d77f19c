#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// What the input matrices hold.
struct InputChoice {
  enum class Kind {
    random,
    linear,  ///< A counts up from 0, B down from n * n - 1, as in course2025
    files,   ///< .npy files
  };
  Kind kind = Kind::random;
  std::uint64_t seed = 0;                ///< of random matrices
  std::filesystem::path A = {}, B = {};  ///< files
  int order = 0;                         ///< of the matrices in the files; 0: any
};

/// Reads "random", "linear" or "A.npy,B.npy".
/// @throws std::runtime_error saying what is wrong, also with the files
InputChoice read_input_choice(const std::string& text, std::uint64_t seed);

/// Writes a choice in words: "random, seed 17".
std::string describe(const InputChoice& choice);

/// Files of NumPy (.npy, numpy.lib.format versions 1.0 and 2.0) that hold one matrix of float32 or
/// float64 in C order, little-endian. This small reader is our own, because the readers of Debian's
/// libraries misinterpret a file that ends too early, or that has its keys in another order than
/// NumPy's own.

/// Rows and columns, as the header gives them; the file is as long as they require.
struct NpyShape {
  int rows = 0;
  int cols = 0;

  bool operator==(const NpyShape&) const = default;
};

/// @throws std::runtime_error naming the file and what is wrong with it
NpyShape read_npy_shape(const std::filesystem::path& file);

/// Reads the matrix; each number is converted to T.
/// @throws as read_npy_shape
template <typename T>
Matrix<T> read_npy(const std::filesystem::path& file);

/// Writes another file beside this one first and renames it, so that a file with this name is
/// always whole.
/// @throws std::runtime_error naming the file
template <typename T>
void write_npy(const std::filesystem::path& file, const Matrix<T>& matrix);

/// A product to compute, and its result in double precision.
template <typename T>
struct ProductInputs {
  Matrix<T> A, B;
  ReferenceProduct reference;
};

/// Makes the matrices of a product, or reads what an earlier run has stored of them.
class ProductStore {
 public:
  /// @param folder keeps matrices as .npy files named by kind, type and order; empty: nothing
  /// is kept
  ProductStore(InputChoice choice, std::filesystem::path folder)
      : choice_(std::move(choice)), folder_(std::move(folder)) {}

  /// @throws std::runtime_error naming a stored file that is damaged or cannot be written
  template <typename T>
  ProductInputs<T> get(int n) const;

 private:
  template <typename T>
  Matrix<T> make(char name, int n) const;
  template <typename T>
  Matrix<T> input(char name, int n) const;
  std::filesystem::path file_of(const std::string& what, int n, std::size_t element_bytes) const;

  InputChoice choice_;
  std::filesystem::path folder_;
};

}  // namespace tilewise::grading
