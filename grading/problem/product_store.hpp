#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "grading/problem/input_choice.hpp"
#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// A product to compute, and what comes of it in double precision.
template <typename T>
struct ProductInputs {
  Matrix<T> A, B;
  ReferenceProduct reference;
};

/// Makes the matrices of a product, or reads what an earlier run has stored of them.
class ProductStore {
 public:
  /// @param folder keeps them as .npy files named by kind, type and order; empty: nothing is kept
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
