#include "grading/examiner/inputs.hpp"

#include <cmath>

namespace tilewise::grading {

Random seeded_random(std::uint64_t seed, std::string_view test_name) {
  // FNV-1a: std::hash may differ from one standard library to the next, a seed's numbers must not.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : test_name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32)};
  return Random(sequence);
}

Matrix<float> random_matrix(int rows, int cols, Random& random) {
  Matrix<float> matrix(rows, cols);
  for (float& value : matrix.values) {
    const std::uint64_t bits = random();
    const float fraction = std::ldexp(static_cast<float>(bits >> 40), -24);  // [0, 1)
    const float magnitude = 0.25F + 0.75F * fraction;
    value = (bits & 1) != 0 ? -magnitude : magnitude;
  }
  return matrix;
}

Matrix<float> identity_matrix(int n) {
  Matrix<float> matrix(n, n);
  for (int i = 0; i < n; ++i) matrix(i, i) = 1.0F;
  return matrix;
}

Matrix<float> index_coded_matrix(int rows, int cols) {
  Matrix<float> matrix(rows, cols);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    matrix.values[i] = static_cast<float>(matrix.values.size() + i + 1);
  }
  return matrix;
}

}  // namespace tilewise::grading
