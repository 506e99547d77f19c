#include "grading/examiner/partial_result.hpp"

#include <algorithm>

namespace tilewise::grading {
namespace {

template <typename T>
std::vector<int> written_rows(const Matrix<T>& C) {
  std::vector<int> rows;
  for (int row = 0; row < C.rows; ++row) {
    int col = 0;
    while (col < C.cols && is_unwritten(C(row, col))) ++col;
    if (col < C.cols) rows.push_back(row);
  }
  return rows;
}

template <typename T>
std::vector<int> sample(const Matrix<T>& C, int count, Random& random) {
  const std::vector<int> written = written_rows(C);
  std::vector<int> rows;
  for (const int i : sample_rows(static_cast<int>(written.size()), count, random)) {
    rows.push_back(written[i]);
  }
  return rows;
}

template <typename T>
void fill_in(Matrix<T>& C, const ReferenceProduct& expected) {
  for (std::size_t i = 0; i < expected.rows.size(); ++i) {
    for (int col = 0; col < C.cols; ++col) {
      T& element = C(expected.rows[i], col);
      if (is_unwritten(element)) {
        element = static_cast<T>(expected.product(static_cast<int>(i), col));
      }
    }
  }
}

template <typename T>
bool has_unwritten_element(const Matrix<T>& C) {
  return std::ranges::any_of(C.values, [](T value) { return is_unwritten(value); });
}

}  // namespace

bool has_unwritten(const DeviceArray& result) {
  return result.element() == ElementType::float32 ? has_unwritten_element(result.contents())
                                                  : has_unwritten_element(result.contents_double());
}

std::vector<int> sample_of_written_rows(const Matrix<float>& C, int count, Random& random) {
  return sample(C, count, random);
}

std::vector<int> sample_of_written_rows(const Matrix<double>& C, int count, Random& random) {
  return sample(C, count, random);
}

void fill_in_unwritten(Matrix<float>& C, const ReferenceProduct& expected) { fill_in(C, expected); }

void fill_in_unwritten(Matrix<double>& C, const ReferenceProduct& expected) {
  fill_in(C, expected);
}

}  // namespace tilewise::grading
