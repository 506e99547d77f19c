#include "grading/problem/inputs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "common/base/processors.hpp"

namespace tilewise::grading {

Random seeded_random(std::uint64_t seed, std::string_view test_name) {
  // FNV-1a is used because std::hash may differ from one standard library to the next, and a seed's
  // numbers must not.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : test_name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32)};
  return Random(sequence);
}

namespace {

// Returns a number in [0, 1) made of as many bits as the type holds exactly.
template <class T>
T random_fraction(std::uint64_t bits) {
  constexpr int digits = std::numeric_limits<T>::digits;
  constexpr T unit = T(1) / static_cast<T>(std::uint64_t{1} << digits);
  return static_cast<T>(static_cast<std::int64_t>(bits >> (64 - digits))) * unit;
}

// There is no branch, because no processor could predict it, and large matrices are drawn for each
// timed call.
template <class T>
T with_random_sign(T magnitude, std::uint64_t bits) {
  const auto sign = static_cast<T>(1 - 2 * static_cast<int>(bits & 1));
  return magnitude * sign;
}

template <class T>
void draw(std::span<T> values, Random& random) {
  for (T& value : values) {
    const std::uint64_t bits = random();
    value = with_random_sign(T(0.25) + T(0.75) * random_fraction<T>(bits), bits);
  }
}

constexpr std::size_t part = 1 << 19;  // a millisecond's work

/// Calls draw(values, random) in parts that the processors share. Each part has a generator of its
/// own, so that the numbers do not depend on how many processors there are.
template <class T, class Draw>
void draw_by_all_processors(std::span<T> values, Random& random, const Draw& draw) {
  std::vector<std::uint64_t> seeds((values.size() + part - 1) / part);
  std::ranges::generate(seeds, random);
  core::by_all_processors(values.size(), part, [&](std::size_t first, std::size_t end) {
    Random of_part(seeds[first / part]);
    draw(values.subspan(first, end - first), of_part);
  });
}

template <class T>
Matrix<T> random_matrix_of(int rows, int cols, Random& random) {
  Matrix<T> matrix(rows, cols);
  if (matrix.values.size() >= 8 * part) {
    draw_by_all_processors(std::span(matrix.values), random, draw<T>);
  } else {
    draw(std::span(matrix.values), random);
  }
  return matrix;
}

}  // namespace

Matrix<float> random_matrix(int rows, int cols, Random& random) {
  return random_matrix_of<float>(rows, cols, random);
}

Matrix<float> random_half_matrix(int rows, int cols, Random& random) {
  Matrix<float> matrix = random_matrix(rows, cols, random);
  for (float& value : matrix.values) value = __half2float(__float2half_rn(value));
  return matrix;
}

Matrix<__half> halves_of(const Matrix<float>& matrix) {
  Matrix<__half> halves(matrix.rows, matrix.cols);
  std::ranges::transform(matrix.values, halves.values.begin(),
                         [](float value) { return __float2half_rn(value); });
  return halves;
}

Matrix<double> random_double_matrix(int rows, int cols, Random& random) {
  return random_matrix_of<double>(rows, cols, random);
}

Matrix<float> whole_numbers(int count, Random& random) {
  constexpr int exact = 1 << 24, most = 1000;
  const int largest = std::clamp(exact / 2 / std::max(count, 1), 1, most);
  Matrix<float> numbers(1, count);
  const auto draw_numbers = [largest](std::span<float> values, Random& of_part) {
    std::uniform_int_distribution<int> size(1, largest);
    for (float& number : values) {
      number = static_cast<float>(of_part() % 2 == 0 ? size(of_part) : -size(of_part));
    }
  };
  if (numbers.values.size() >= 8 * part) {
    draw_by_all_processors(std::span(numbers.values), random, draw_numbers);
  } else {
    draw_numbers(numbers.values, random);
  }
  return numbers;
}

Matrix<double> random_lower_triangle(int order, Random& random) {
  const double scale = 1 / std::sqrt(static_cast<double>(order));
  Matrix<double> matrix(order, order);
  for (int row = 0; row < order; ++row) {
    for (int col = 0; col <= row; ++col) {
      const std::uint64_t bits = random();
      const double fraction = random_fraction<double>(bits);
      matrix(row, col) = with_random_sign(col == row ? 1 + fraction : fraction * scale, bits);
    }
  }
  return matrix;
}

Matrix<float> distinct_matrix(int rows, int cols, Random& random) {
  // Multiplying by an odd number permutes the integers modulo a power of two.
  const auto factor = static_cast<std::uint32_t>(random()) | 1;
  auto code = static_cast<std::uint32_t>(random());
  Matrix<float> matrix(rows, cols);
  for (float& value : matrix.values) {
    code += factor;
    // 23 bits of significand, a sign, and 7 of the exponent's 8 bits: none of them means NaN.
    const std::uint32_t significand = code & 0x007F'FFFF;
    const std::uint32_t sign = (code & 0x0080'0000) << 8;
    const std::uint32_t exponent = 64 + (code >> 24 & 0x7F);
    value = std::bit_cast<float>(sign | exponent << 23 | significand);
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
