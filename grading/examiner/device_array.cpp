#include "grading/examiner/device_array.hpp"

#include <algorithm>
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

bool has_bits(float value, std::uint32_t bits) {
  return std::bit_cast<std::uint32_t>(value) == bits;
}

DeviceArray::DeviceArray(std::string name, Access access, int rows, int cols, int leading_dimension)
    : name_(std::move(name)),
      access_(access),
      rows_(rows),
      cols_(cols),
      leading_dimension_(leading_dimension),
      guard_elements_(guard_elements_for(leading_dimension)),
      payload_elements_(std::size_t(rows) * leading_dimension),
      given_(2 * guard_elements_ + payload_elements_,
             access == Access::input ? guard_bits : output_guard_bits) {
  if (leading_dimension < cols) {
    throw std::invalid_argument("DeviceArray " + name_ + ": rows overlap");
  }
  Matrix<float> contents(rows, cols);
  if (access == Access::output) {
    std::fill(contents.values.begin(), contents.values.end(), std::bit_cast<float>(unwritten_bits));
  }
  set(contents);
}

void DeviceArray::set(const Matrix<float>& contents) {
  if (contents.rows != rows_ || contents.cols != cols_) {
    throw std::invalid_argument("DeviceArray " + name_ + ": contents of another shape");
  }
  for (int row = 0; row < rows_; ++row) {
    if (cols_ == 0) break;  // no element to take an address of
    std::memcpy(&given_[guard_elements_ + std::size_t(row) * leading_dimension_],
                &contents.values[std::size_t(row) * cols_], cols_ * sizeof(float));
  }
  returned_.clear();
}

void DeviceArray::store(std::span<std::byte> memory) const {
  std::memcpy(memory.data(), given_.data(), image_bytes());
}

void DeviceArray::load(std::span<const std::byte> memory) {
  returned_.resize(given_.size());
  std::memcpy(returned_.data(), memory.data(), image_bytes());
}

Matrix<float> DeviceArray::contents() const {
  const std::vector<std::uint32_t>& image = returned_.empty() ? given_ : returned_;
  Matrix<float> matrix(rows_, cols_);
  for (int row = 0; row < rows_; ++row) {
    if (cols_ == 0) break;
    std::memcpy(&matrix.values[std::size_t(row) * cols_],
                &image[guard_elements_ + std::size_t(row) * leading_dimension_],
                cols_ * sizeof(float));
  }
  return matrix;
}

bool DeviceArray::is_payload(std::size_t index) const {
  if (index < guard_elements_ || index >= guard_elements_ + payload_elements_) return false;
  return (index - guard_elements_) % leading_dimension_ < std::size_t(cols_);
}

std::optional<DeviceArray::Change> DeviceArray::first_changed() const {
  for (std::size_t i = 0; i < returned_.size(); ++i) {
    if (returned_[i] == given_[i] || !is_payload(i)) continue;
    const std::size_t offset = i - guard_elements_;
    return Change{.row = static_cast<int>(offset / leading_dimension_),
                  .col = static_cast<int>(offset % leading_dimension_),
                  .given = std::bit_cast<float>(given_[i]),
                  .found = std::bit_cast<float>(returned_[i])};
  }
  return std::nullopt;
}

std::optional<DeviceArray::GuardDamage> DeviceArray::guard_damage() const {
  GuardDamage damage;
  for (std::size_t i = 0; i < returned_.size(); ++i) {
    if (returned_[i] == given_[i] || is_payload(i)) continue;
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

}  // namespace tilewise::grading
