#include "grading/examiner/device_array.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace tilewise::grading {
namespace {

// A kernel without a bounds check strays by less than one block: at most 1023 rows and columns. The
// cap keeps large, timed matrices small; only orders of 1023 and more reach it.
std::size_t guard_elements_for(int leading_dimension) {
  constexpr std::size_t largest_block = 1024;
  constexpr std::size_t cap = std::size_t{1} << 20;
  constexpr std::size_t alignment = 256 / sizeof(float);  // of memory from cudaMalloc
  const std::size_t wanted = std::min(largest_block * (leading_dimension + 1), cap);
  return (wanted + alignment - 1) / alignment * alignment;
}

}  // namespace

DeviceArray::DeviceArray(std::string name, Access access, int rows, int cols, int leading_dimension,
                         ElementType element)
    : name_(std::move(name)),
      access_(access),
      rows_(rows),
      cols_(cols),
      leading_dimension_(leading_dimension),
      words_(element == ElementType::float32 ? 1 : 2),
      readable_(access == Access::output ? Readable::nothing : Readable::everything),
      guard_elements_(guard_elements_for(leading_dimension)),
      payload_elements_(rows == 0 || cols == 0 ? 0
                                               : std::size_t(rows - 1) * leading_dimension + cols),
      given_((2 * guard_elements_ + payload_elements_) * words_) {
  if (leading_dimension < cols) {
    throw std::invalid_argument("DeviceArray " + name_ + ": rows overlap");
  }
  if (access == Access::input) {
    fill(0, given_.size() / words_, guard_bits, guard_bits_double);
  } else {
    fill(0, given_.size() / words_, output_guard_bits, output_guard_bits_double);
  }
  for (int row = 0; row < rows_; ++row) {
    if (access == Access::output) {
      fill(place(row, 0), cols_, unwritten_bits, unwritten_bits_double);
    } else {
      fill(place(row, 0), cols_, 0, 0);
    }
  }
}

void DeviceArray::fill(std::size_t first, std::size_t elements, std::uint32_t bits,
                       std::uint64_t bits_double) {
  if (words_ == 1) {
    std::fill_n(given_.begin() + first, elements, bits);
    return;
  }
  const auto words = std::bit_cast<std::array<std::uint32_t, 2>>(bits_double);
  for (std::size_t i = 2 * first; i < 2 * (first + elements); ++i) given_[i] = words[i % 2];
}

std::size_t DeviceArray::place(int row, int col) const {
  return guard_elements_ + std::size_t(row) * leading_dimension_ + col;
}

void DeviceArray::demand(ElementType wanted) const {
  if (element() != wanted) {
    throw std::invalid_argument("DeviceArray " + name_ + ": elements of another type");
  }
}

template <typename T>
void DeviceArray::set_rows(const Matrix<T>& contents) {
  if (contents.rows != rows_ || contents.cols != cols_) {
    throw std::invalid_argument("DeviceArray " + name_ + ": contents of another shape");
  }
  for (int row = 0; row < rows_; ++row) {
    if (cols_ == 0) break;  // no element to take an address of
    std::memcpy(&given_[place(row, 0) * words_], &contents(row, 0), cols_ * sizeof(T));
  }
  returned_.clear();
}

void DeviceArray::set(const Matrix<float>& contents) {
  demand(ElementType::float32);
  set_rows(contents);
}

void DeviceArray::set(const Matrix<double>& contents) {
  demand(ElementType::float64);
  set_rows(contents);
}

void DeviceArray::let_read_only(Readable readable) {
  if (readable == Readable::lower_triangle && rows_ != cols_) {
    throw std::invalid_argument("DeviceArray " + name_ + ": no triangle");
  }
  readable_ = readable;
  if (readable == Readable::everything) return;
  for (int row = 0; row < rows_; ++row) {
    const int first = readable == Readable::lower_triangle ? row + 1 : 0;
    fill(place(row, first), cols_ - first, guard_bits, guard_bits_double);
  }
}

void DeviceArray::store(std::span<std::byte> memory) const {
  std::memcpy(memory.data(), given_.data(), image_bytes());
}

void DeviceArray::load(std::span<const std::byte> memory) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(memory.data());
  returned_.assign(words, words + given_.size());
}

template <typename T>
Matrix<T> DeviceArray::rows_of_image() const {
  const std::vector<std::uint32_t>& image = returned_.empty() ? given_ : returned_;
  Matrix<T> matrix(rows_, cols_);
  for (int row = 0; row < rows_; ++row) {
    if (cols_ == 0) break;
    std::memcpy(&matrix(row, 0), &image[place(row, 0) * words_], cols_ * sizeof(T));
  }
  return matrix;
}

Matrix<float> DeviceArray::contents() const {
  demand(ElementType::float32);
  return rows_of_image<float>();
}

Matrix<double> DeviceArray::contents_double() const {
  demand(ElementType::float64);
  return rows_of_image<double>();
}

bool DeviceArray::is_payload(std::size_t index) const {
  if (index < guard_elements_ || index >= guard_elements_ + payload_elements_) return false;
  return (index - guard_elements_) % leading_dimension_ < std::size_t(cols_);
}

bool DeviceArray::differs(std::size_t index) const {
  return std::memcmp(&given_[index * words_], &returned_[index * words_], element_bytes()) != 0;
}

double DeviceArray::value(const std::vector<std::uint32_t>& image, std::size_t index) const {
  if (words_ == 1) return std::bit_cast<float>(image[index]);
  return std::bit_cast<double>(std::array{image[2 * index], image[2 * index + 1]});
}

std::optional<DeviceArray::Change> DeviceArray::first_changed() const {
  for (std::size_t i = 0; i < returned_.size() / words_; ++i) {
    if (!differs(i) || !is_payload(i)) continue;
    const std::size_t offset = i - guard_elements_;
    return Change{.row = static_cast<int>(offset / leading_dimension_),
                  .col = static_cast<int>(offset % leading_dimension_),
                  .given = value(given_, i),
                  .found = value(returned_, i)};
  }
  return std::nullopt;
}

std::optional<DeviceArray::GuardDamage> DeviceArray::guard_damage() const {
  GuardDamage damage;
  for (std::size_t i = 0; i < returned_.size() / words_; ++i) {
    if (!differs(i) || is_payload(i)) continue;
    if (damage.elements++ == 0) {
      damage.first = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(guard_elements_);
      damage.between_rows =
          damage.first >= 0 && damage.first < static_cast<std::ptrdiff_t>(payload_elements_);
    }
  }
  if (damage.elements == 0) return std::nullopt;
  return damage;
}

bool DeviceArray::untouched() const { return returned_.empty() || returned_ == given_; }

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
