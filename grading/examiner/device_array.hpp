#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grading/problem/inputs.hpp"
#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

enum class Access { input, output, in_out };

enum class ElementType { float16, float32, float64 };

/// Elements that a function may read although it has not written them.
enum class Readable { everything, lower_triangle, nothing };

/// Returns how many elements apart rows of `cols` elements lie: as given, or else `cols`, but at
/// least 1, which BLAS asks for.
inline int distance_of_rows(const std::optional<int>& given, int cols) {
  return given.value_or(std::max(cols, 1));
}

/// Host image of one matrix in device memory: guard band, rows, guard band.
///
/// It is written into the memory shared with a worker before a call and read back afterwards; the
/// image given is kept here, out of the worker's reach, to be compared with what came back.
class DeviceArray {
 public:
  /// A (rows, cols) matrix whose rows lie `leading_dimension` elements apart. An output is
  /// unwritten everywhere; other arrays hold zeros until set().
  DeviceArray(std::string name, Access access, int rows, int cols, int leading_dimension,
              ElementType element = ElementType::float32);

  /// The same without a gap between rows.
  DeviceArray(std::string name, Access access, int rows, int cols)
      : DeviceArray(std::move(name), access, rows, cols, cols) {}

  /// Input with the given contents, as floats or rounded to half precision.
  DeviceArray(std::string name, const Matrix<float>& contents,
              ElementType element = ElementType::float32);

  /// Array of doubles with the given contents.
  DeviceArray(std::string name, Access access, const Matrix<double>& contents,
              int leading_dimension);

  const std::string& name() const { return name_; }
  Access access() const { return access_; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int leading_dimension() const { return leading_dimension_; }
  ElementType element() const { return element_; }
  std::size_t element_bytes() const { return element_bytes_; }
  Readable readable() const { return readable_; }

  /// Sets the contents before the call; in an output they replace its poison.
  /// @throws std::invalid_argument for another shape or another type than the array's, except that
  /// floats may be set where halves are stored
  void set(const Matrix<float>& contents);
  void set(const Matrix<double>& contents);

  /// Poisons the elements that may not be read with the NaN that lies around inputs, so that
  /// reading them spoils the result; the simulator's checks report the read itself. To be called
  /// after set().
  /// @throws std::invalid_argument for the lower triangle of a matrix that is not square
  void let_read_only(Readable readable);

  /// The size of the whole image in bytes, and the part of it that the function gets a pointer to,
  /// from the first element to the last. That part is aligned as memory from cudaMalloc is.
  std::size_t image_bytes() const { return given_.size(); }
  std::size_t payload_offset() const { return guard_elements_ * element_bytes(); }
  std::size_t payload_bytes() const { return payload_elements_ * element_bytes(); }

  /// Writes the image that is given to the function; `memory` has room for image_bytes().
  void store(std::span<std::byte> memory) const;

  /// Reads the image that came back from a call.
  void load(std::span<const std::byte> memory);

  /// Returns what the matrix holds after the call.
  /// @throws std::logic_error if its elements are of the other type
  Matrix<float> contents() const;
  Matrix<double> contents_double() const;

  /// Returns what the matrix held before the call, in the same way.
  Matrix<float> contents_given() const;
  Matrix<double> contents_given_double() const;

  /// The first element of the matrix that differs from what was given, bit for bit.
  struct Change {
    int row = 0;
    int col = 0;
    double given = 0;
    double found = 0;
  };
  std::optional<Change> first_changed() const;

  /// Writes outside the matrix: how many elements they changed, and the first one.
  struct GuardDamage {
    std::size_t elements = 0;
    std::ptrdiff_t first = 0;   ///< in elements from the matrix's start; negative: before it
    bool between_rows = false;  ///< in the gap behind a row rather than in a guard band
  };
  std::optional<GuardDamage> guard_damage() const;

  /// Whether the call left the image as it was given, bit for bit, guard bands included.
  bool untouched() const;

 private:
  /// Bytes that are not initialised, so that images of large matrices are written only once.
  class Image {
   public:
    Image() = default;
    explicit Image(std::size_t size)
        : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}
    Image(const Image& other) : Image(other.size_) {
      std::ranges::copy(other.bytes(), bytes_.get());
    }
    Image(Image&& other) noexcept { swap(other); }
    Image& operator=(Image other) noexcept {
      swap(other);
      return *this;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::byte& operator[](std::size_t i) { return bytes_[i]; }
    const std::byte& operator[](std::size_t i) const { return bytes_[i]; }
    std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

   private:
    void swap(Image& other) noexcept {
      std::swap(bytes_, other.bytes_);
      std::swap(size_, other.size_);
    }

    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_ = 0;
  };

  /// The bits of a number in each of the types.
  struct Bits {
    std::uint16_t half;
    std::uint32_t single;
    std::uint64_t double_precision;
  };
  static constexpr Bits nothing = {0, 0, 0};
  static constexpr Bits guard = {guard_bits_half, guard_bits, guard_bits_double};
  static constexpr Bits output_guard = {0, output_guard_bits, output_guard_bits_double};
  static constexpr Bits unwritten = {0, unwritten_bits, unwritten_bits_double};

  /// Tag of the constructor that fills in all that lies around the matrix's elements, but not the
  /// elements themselves.
  struct Surroundings {};
  DeviceArray(Surroundings, std::string name, Access access, int rows, int cols,
              int leading_dimension, ElementType element);

  void fill(std::size_t first, std::size_t elements, const Bits& bits);
  std::size_t elements() const { return given_.size() / element_bytes_; }
  void demand(ElementType element) const;
  template <typename T>
  void set_rows(const Matrix<T>& contents);
  const Image& image_after() const { return returned_.empty() ? given_ : returned_; }
  template <typename T>
  Matrix<T> rows_of(const Image& image) const;
  std::size_t place(int row, int col) const;
  bool is_payload(std::size_t index) const;
  std::size_t first_different(std::size_t first, std::size_t end) const;
  bool differs(std::size_t index) const;
  double value(const Image& image, std::size_t index) const;

  std::string name_;
  Access access_;
  int rows_;
  int cols_;
  int leading_dimension_;
  ElementType element_;
  std::size_t element_bytes_;
  Readable readable_;
  std::size_t guard_elements_;    // on each side
  std::size_t payload_elements_;  // from the matrix's first element to its last, gaps included
  Image given_;
  Image returned_;
};

// These functions are for results of which only some blocks of a grid have computed their part.
// Elements that nobody has written (unwritten_bits) say nothing about the kernel; all others must
// be right.

/// How many rows are compared of a large product. A kernel that leaves out half of the rows escapes
/// 16 sampled ones once in 16,000 times.
inline constexpr int sampled_rows = 16;

/// Returns `count` different rows of C in which an element was written, ascending; returns all of
/// them if there are no more than that.
std::vector<int> sample_of_written_rows(const Matrix<float>& C, int count, Random& random);
std::vector<int> sample_of_written_rows(const Matrix<double>& C, int count, Random& random);

/// Whether there is an element that nobody has written.
bool has_unwritten(const DeviceArray& result);

/// Whether the result's last element, which the last block of a grid computes, was written.
bool has_last_element(const DeviceArray& result);

/// Writes the expected values to the elements that nobody has written, in the rows of the
/// reference.
void fill_in_unwritten(Matrix<float>& C, const ReferenceProduct& expected);
void fill_in_unwritten(Matrix<double>& C, const ReferenceProduct& expected);

}  // namespace tilewise::grading
