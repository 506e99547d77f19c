#include "grading/examiner/device_array.hpp"

#include <cuda_fp16.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "common/base/processors.hpp"

namespace tilewise::grading {
namespace {

// A kernel without a bounds check strays by less than one block: at most 1023 rows and columns, or
// in a vector 64 elements a thread. The cap keeps large, timed matrices small; only orders of 1023
// and more reach it.
std::size_t guard_elements_for(int rows, int leading_dimension, std::size_t element_bytes) {
  constexpr std::size_t largest_block = 1024, of_a_thread = 64;
  constexpr std::size_t cap = std::size_t{1} << 20;
  // This is the alignment of memory from cudaMalloc.
  const std::size_t alignment = 256 / std::min(element_bytes, sizeof(float));
  const std::size_t row = std::size_t(leading_dimension) + 1;
  const std::size_t wanted =
      std::min(largest_block * (rows > 1 ? row : std::min(row, of_a_thread)), cap);
  return (wanted + alignment - 1) / alignment * alignment;
}

std::size_t bytes_of(ElementType element) {
  switch (element) {
    case ElementType::float16:
      return sizeof(__half);
    case ElementType::float32:
      return sizeof(float);
    case ElementType::float64:
      break;
  }
  return sizeof(double);
}

// How many elements of a matrix a processor writes before it takes more, which takes a millisecond.
constexpr std::size_t elements_at_once = std::size_t{1} << 20;

std::size_t rows_at_once(int cols) {
  return std::max<std::size_t>(1, elements_at_once / std::max(cols, 1));
}

void copy(std::span<const std::byte> from, std::byte* to) {
  core::by_all_processors(from.size(), 4 * elements_at_once,
                          [&](std::size_t first, std::size_t end) {
                            std::memcpy(to + first, from.data() + first, end - first);
                          });
}

}  // namespace

DeviceArray::DeviceArray(Surroundings, std::string name, Access access, int rows, int cols,
                         int leading_dimension, ElementType element)
    : name_(std::move(name)),
      access_(access),
      rows_(rows),
      cols_(cols),
      leading_dimension_(leading_dimension),
      element_(element),
      element_bytes_(bytes_of(element)),
      readable_(access == Access::output ? Readable::nothing : Readable::everything),
      guard_elements_(guard_elements_for(rows, leading_dimension, element_bytes_)),
      payload_elements_(rows == 0 || cols == 0 ? 0
                                               : std::size_t(rows - 1) * leading_dimension + cols),
      given_((2 * guard_elements_ + payload_elements_) * element_bytes_) {
  if (leading_dimension < cols) {
    throw std::invalid_argument("DeviceArray " + name_ + ": rows overlap");
  }
  if (element == ElementType::float16 && access != Access::input) {
    throw std::invalid_argument("DeviceArray " + name_ + ": no bits tell unwritten halves apart");
  }
  const Bits& around = access == Access::input ? guard : output_guard;
  fill(0, guard_elements_, around);
  fill(guard_elements_ + payload_elements_, guard_elements_, around);
  if (payload_elements_ == 0) return;
  for (int row = 0; row + 1 < rows_; ++row) {
    fill(place(row, cols_), leading_dimension_ - cols_, around);
  }
}

DeviceArray::DeviceArray(std::string name, Access access, int rows, int cols, int leading_dimension,
                         ElementType element)
    : DeviceArray(Surroundings{}, std::move(name), access, rows, cols, leading_dimension, element) {
  const Bits& bits = access == Access::output ? unwritten : nothing;
  core::by_all_processors(rows_, rows_at_once(cols_), [&](std::size_t first, std::size_t end) {
    for (std::size_t row = first; row < end; ++row) fill(place(int(row), 0), cols_, bits);
  });
}

DeviceArray::DeviceArray(std::string name, const Matrix<float>& contents, ElementType element)
    : DeviceArray(Surroundings{}, std::move(name), Access::input, contents.rows, contents.cols,
                  contents.cols, element) {
  set(contents);
}

DeviceArray::DeviceArray(std::string name, Access access, const Matrix<double>& contents,
                         int leading_dimension)
    : DeviceArray(Surroundings{}, std::move(name), access, contents.rows, contents.cols,
                  leading_dimension, ElementType::float64) {
  set(contents);
}

void DeviceArray::fill(std::size_t first, std::size_t elements, const Bits& bits) {
  const auto fill_with = [&](auto pattern) {
    for (std::size_t i = first; i < first + elements; ++i) {
      std::memcpy(&given_[i * sizeof pattern], &pattern, sizeof pattern);
    }
  };
  switch (element_) {
    case ElementType::float16:
      return fill_with(bits.half);
    case ElementType::float32:
      return fill_with(bits.single);
    case ElementType::float64:
      return fill_with(bits.double_precision);
  }
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
  const auto set_some = [&](std::size_t first, std::size_t end) {
    for (std::size_t row = first; row < end; ++row) {
      std::memcpy(&given_[place(int(row), 0) * element_bytes_], &contents(int(row), 0),
                  cols_ * sizeof(T));
    }
  };
  // Without columns there is no element to take an address of.
  if (cols_ > 0) core::by_all_processors(rows_, rows_at_once(cols_), set_some);
  returned_ = Image();
}

void DeviceArray::set(const Matrix<float>& contents) {
  if (element_ == ElementType::float16) {
    set_rows(halves_of(contents));
    return;
  }
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
    fill(place(row, first), cols_ - first, guard);
  }
}

void DeviceArray::store(std::span<std::byte> memory) const { copy(given_.bytes(), memory.data()); }

void DeviceArray::load(std::span<const std::byte> memory) {
  if (returned_.empty()) returned_ = Image(given_.size());
  copy(memory.first(given_.size()), &returned_[0]);
}

template <typename T>
Matrix<T> DeviceArray::rows_of(const Image& image) const {
  Matrix<T> matrix(rows_, cols_);
  const auto take_some = [&](std::size_t first, std::size_t end) {
    for (std::size_t row = first; row < end; ++row) {
      std::memcpy(&matrix(int(row), 0), &image[place(int(row), 0) * element_bytes_],
                  cols_ * sizeof(T));
    }
  };
  if (cols_ > 0) core::by_all_processors(rows_, rows_at_once(cols_), take_some);
  return matrix;
}

Matrix<float> DeviceArray::contents() const {
  demand(ElementType::float32);
  return rows_of<float>(image_after());
}

Matrix<double> DeviceArray::contents_double() const {
  demand(ElementType::float64);
  return rows_of<double>(image_after());
}

Matrix<float> DeviceArray::contents_given() const {
  demand(ElementType::float32);
  return rows_of<float>(given_);
}

Matrix<double> DeviceArray::contents_given_double() const {
  demand(ElementType::float64);
  return rows_of<double>(given_);
}

bool DeviceArray::is_payload(std::size_t index) const {
  if (index < guard_elements_ || index >= guard_elements_ + payload_elements_) return false;
  return (index - guard_elements_) % leading_dimension_ < std::size_t(cols_);
}

bool DeviceArray::differs(std::size_t index) const {
  const std::size_t at = index * element_bytes_;
  return std::memcmp(&given_[at], &returned_[at], element_bytes_) != 0;
}

double DeviceArray::value(const Image& image, std::size_t index) const {
  const auto read = [&](auto number) {
    std::memcpy(&number, &image[index * element_bytes_], sizeof number);
    return number;
  };
  if (element_ == ElementType::float64) return read(double{});
  return element_ == ElementType::float32 ? read(float{}) : __half2float(read(__half{}));
}

/// Returns the first element of [first, end) that differs, or `end` if none does. Stretches are
/// compared as a whole, because large images are mostly alike.
std::size_t DeviceArray::first_different(std::size_t first, std::size_t end) const {
  constexpr std::size_t stretch = 4096;
  while (first < end) {
    const std::size_t next = std::min(first + stretch, end);
    const std::size_t at = first * element_bytes_, bytes = (next - first) * element_bytes_;
    if (std::memcmp(&given_[at], &returned_[at], bytes) != 0) {
      while (!differs(first)) ++first;
      return first;
    }
    first = next;
  }
  return end;
}

std::optional<DeviceArray::Change> DeviceArray::first_changed() const {
  if (returned_.empty()) return std::nullopt;
  for (std::size_t i = first_different(0, elements()); i < elements();
       i = first_different(i + 1, elements())) {
    if (!is_payload(i)) continue;
    const std::size_t offset = i - guard_elements_;
    return Change{.row = static_cast<int>(offset / leading_dimension_),
                  .col = static_cast<int>(offset % leading_dimension_),
                  .given = value(given_, i),
                  .found = value(returned_, i)};
  }
  return std::nullopt;
}

std::optional<DeviceArray::GuardDamage> DeviceArray::guard_damage() const {
  if (returned_.empty()) return std::nullopt;
  GuardDamage damage;
  const auto look_at = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first_different(first, end); i < end; i = first_different(i + 1, end)) {
      if (damage.elements++ > 0) continue;
      damage.first = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(guard_elements_);
      damage.between_rows =
          damage.first >= 0 && damage.first < static_cast<std::ptrdiff_t>(payload_elements_);
    }
  };
  const std::size_t end = guard_elements_ + payload_elements_;
  look_at(0, guard_elements_);
  for (int row = 0; row + 1 < rows_ && cols_ > 0; ++row) {
    look_at(place(row, cols_), place(row + 1, 0));
  }
  look_at(end, elements());
  if (damage.elements == 0) return std::nullopt;
  return damage;
}

bool DeviceArray::untouched() const {
  return returned_.empty() || first_different(0, elements()) == elements();
}

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

bool has_last_element(const DeviceArray& result) {
  return result.element() == ElementType::float32
             ? !is_unwritten(result.contents().values.back())
             : !is_unwritten(result.contents_double().values.back());
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
