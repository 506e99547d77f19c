#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "grading/problem/product_store.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr std::string_view magic = "\x93NUMPY";

/// What the header says.
struct Header {
  std::size_t element_bytes = 0;
  NpyShape shape;
  std::streamoff data_begin = 0;
};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

/// Parses a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : rest_(text) {}

  void expect(std::string_view word) {
    if (!accept(word)) fail(fmt::format("its header has no {} where one belongs", word));
  }

  bool accept(std::string_view word) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string quoted() {
    const char quote = accept("\"") ? '"' : '\'';
    if (quote == '\'') expect("'");
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos) fail("its header has a word without an end");
    const std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return word;
  }

  bool truth() {
    if (accept("True")) return true;
    expect("False");
    return false;
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect("(");
    while (!accept(")")) {
      accept("");  // skips blanks
      const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      const auto number = number_in<std::uint64_t>(rest_.substr(0, digits));
      if (!number) fail("its header has a shape that is no list of numbers");
      numbers.push_back(*number);
      rest_.remove_prefix(digits);
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
    return numbers;
  }

  bool at_end() {
    accept("");
    return rest_.empty();
  }

 private:
  std::string_view rest_;
};

std::size_t element_bytes_of(const std::string& type) {
  if (type == "<f4") return sizeof(float);
  if (type == "<f8") return sizeof(double);
  fail(tr("its numbers are of type '{}'; float32 ('<f4') and float64 ('<f8') can be read",
          printable(type)));
}

NpyShape shape_of(const std::vector<std::uint64_t>& sides) {
  if (sides.size() != 2) {
    fail(tr("it has {} dimensions; a matrix has 2", sides.size()));
  }
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  // The bytes of this many numbers still fit into 64 bits.
  constexpr std::uint64_t most_numbers = std::uint64_t{1} << 48;
  if (sides[0] > most || sides[1] > most || sides[0] * sides[1] > most_numbers) {
    fail(fmt::format("its shape {} x {} is too large", sides[0], sides[1]));
  }
  return {static_cast<int>(sides[0]), static_cast<int>(sides[1])};
}

void read_dictionary(HeaderText text, Header& header) {
  std::optional<std::string> type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> sides;
  text.expect("{");
  while (!text.accept("}")) {
    const std::string key = text.quoted();
    text.expect(":");
    if (key == "descr" && !type) {
      type = text.quoted();
    } else if (key == "fortran_order" && !fortran_order) {
      fortran_order = text.truth();
    } else if (key == "shape" && !sides) {
      sides = text.tuple();
    } else {
      fail(fmt::format("its header has the key '{}' twice, or should not have it", printable(key)));
    }
    if (!text.accept(",")) {
      text.expect("}");
      break;
    }
  }
  if (!text.at_end()) fail("its header goes on behind the }");
  if (!type || !fortran_order || !sides) fail("its header lacks descr, fortran_order or shape");
  header.element_bytes = element_bytes_of(*type);
  if (*fortran_order) fail(tr("it is in Fortran's order; numpy.ascontiguousarray() gives C's"));
  header.shape = shape_of(*sides);
}

/// Reads the next bytes as an unsigned number.
template <class Number>
Number read_little_endian(std::istream& stream) {
  Number number = 0;
  stream.read(reinterpret_cast<char*>(&number), sizeof number);
  return number;
}

Header read_header(std::istream& stream, std::uintmax_t file_bytes) {
  std::string start(magic.size() + 2, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (!stream || !start.starts_with(magic)) fail(tr("it is no .npy file"));
  const int major = start[magic.size()], minor = start[magic.size() + 1];
  if ((major != 1 && major != 2) || minor != 0) {
    fail(fmt::format("it has version {}.{} of the format; 1.0 and 2.0 can be read", major, minor));
  }
  const std::uint32_t bytes = major == 1 ? read_little_endian<std::uint16_t>(stream)
                                         : read_little_endian<std::uint32_t>(stream);
  if (!stream || bytes > file_bytes) fail("it ends within its header");
  std::string text(bytes, '\0');
  stream.read(text.data(), bytes);
  if (!stream) fail("it ends within its header");
  Header header;
  header.data_begin = stream.tellg();
  read_dictionary(HeaderText(text), header);
  const std::uintmax_t expected =
      static_cast<std::uintmax_t>(header.data_begin) +
      std::uintmax_t(header.shape.rows) * std::uintmax_t(header.shape.cols) * header.element_bytes;
  if (file_bytes != expected) {
    fail(tr("it has {} bytes where {} x {} numbers of {} bytes make {}", file_bytes,
            header.shape.rows, header.shape.cols, header.element_bytes, expected));
  }
  return header;
}

/// Opens a file and hands its header and the stream to `use`; errors name the file.
template <class Use>
auto with_file(const fs::path& file, Use&& use) {
  try {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (error) fail(error.message());
    std::ifstream stream(file, std::ios::binary);
    if (!stream) fail(std::strerror(errno));
    const Header header = read_header(stream, bytes);
    return use(header, stream);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(tr("cannot read {}: {}", printable(file.string()), error.what()));
  }
}

template <typename Stored, typename T>
void read_rows(std::istream& stream, Matrix<T>& matrix) {
  std::vector<Stored> row(static_cast<std::size_t>(matrix.cols));
  for (int i = 0; i < matrix.rows; ++i) {
    stream.read(reinterpret_cast<char*>(row.data()),
                static_cast<std::streamsize>(row.size() * sizeof(Stored)));
    if (!stream) fail("it ends too early");
    for (int j = 0; j < matrix.cols; ++j) matrix(i, j) = static_cast<T>(row[std::size_t(j)]);
  }
}

}  // namespace

NpyShape read_npy_shape(const fs::path& file) {
  return with_file(file, [](const Header& header, std::istream&) { return header.shape; });
}

template <typename T>
Matrix<T> read_npy(const fs::path& file) {
  return with_file(file, [](const Header& header, std::istream& stream) {
    Matrix<T> matrix(header.shape.rows, header.shape.cols);
    if (header.element_bytes == sizeof(float)) {
      read_rows<float>(stream, matrix);
    } else {
      read_rows<double>(stream, matrix);
    }
    return matrix;
  });
}

template <typename T>
void write_npy(const fs::path& file, const Matrix<T>& matrix) {
  std::string header =
      fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}", sizeof(T),
                  matrix.rows, matrix.cols);
  // The data begins at a multiple of 64 bytes, as in NumPy's own files.
  constexpr std::size_t alignment = 64, before_text = magic.size() + 4;
  header.append(alignment - (before_text + header.size() + 1) % alignment, ' ');
  header += '\n';
  const fs::path unfinished = file.string() + ".part";
  std::ofstream stream(unfinished, std::ios::binary);
  const auto length = static_cast<std::uint16_t>(header.size());
  stream << magic << '\1' << '\0';
  stream.write(reinterpret_cast<const char*>(&length), sizeof length);
  stream << header;
  stream.write(reinterpret_cast<const char*>(matrix.values.data()),
               static_cast<std::streamsize>(matrix.values.size() * sizeof(T)));
  stream.close();
  std::error_code error;
  if (stream) fs::rename(unfinished, file, error);
  if (!stream || error) {
    const std::string reason = error ? error.message() : std::strerror(errno);
    fs::remove(unfinished, error);
    throw std::runtime_error(tr("cannot write {}: {}", printable(file.string()), reason));
  }
}

template Matrix<float> read_npy(const fs::path&);
template Matrix<double> read_npy(const fs::path&);
template void write_npy(const fs::path&, const Matrix<float>&);
template void write_npy(const fs::path&, const Matrix<double>&);

}  // namespace tilewise::grading
