#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "common/process/sandbox.hpp"
#include "grading/problem/product_store.hpp"

namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Npy : public testing::Test {
 protected:
  std::filesystem::path file(const char* name = "A.npy") const { return scratch_.path() / name; }

  void put(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  }

 private:
  ScratchDirectory scratch_;
};

/// Returns a file of version `major`.0 with that dictionary and so many bytes of data.
std::string file_with(const std::string& header, std::size_t data_bytes, char major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += '\0';
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  if (major == 2) bytes += std::string(2, '\0');
  return bytes + header + std::string(data_bytes, '\0');
}

TEST_F(Npy, GivesBackWhatWasWritten) {
  Matrix<float> floats(2, 3);
  floats.values = {1, -2, 3.5f, 1e30f, 0, 6};
  write_npy(file(), floats);
  EXPECT_EQ(read_npy_shape(file()), (NpyShape{2, 3}));
  EXPECT_EQ(read_npy<float>(file()).values, floats.values);
  EXPECT_EQ(read_npy<double>(file())(0, 2), 3.5);

  Matrix<double> doubles(3, 1);
  doubles.values = {0.1, 1e300, -7};
  write_npy(file(), doubles);
  EXPECT_EQ(read_npy<double>(file()).values, doubles.values);
  EXPECT_EQ(read_npy<float>(file())(0, 0), 0.1f);
}

TEST_F(Npy, WritesWhatNumpyWrites) {
  write_npy(file(), Matrix<float>(1, 2));
  std::ifstream stream(file(), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(bytes.size(), 128u + 8);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_EQ(bytes.substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }")
      << "up to the }";
  EXPECT_EQ(bytes[127], '\n');
}

TEST_F(Npy, TakesHeadersThatOthersWrite) {
  const std::string headers[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }    \n",
      "{'shape':(2,2),'descr':'<f4','fortran_order':False}",
      "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 2,), }\n",
  };
  for (const std::string& header : headers) {
    for (const char version : {1, 2}) {
      put(file_with(header, 16, version));
      EXPECT_EQ(read_npy_shape(file()), (NpyShape{2, 2})) << header;
    }
  }
}

TEST_F(Npy, SaysWhatIsWrongWithAFile) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  const auto with_shape = [](const std::string& shape) {
    return file_with("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", 16);
  };
  const struct {
    std::string bytes;
    const char* message;
  } wrong[] = {
      {"", "no .npy file"},
      {"PK\3\4 an archive", "no .npy file"},
      {"\x93NUMPY", "no .npy file"},
      {file_with(good, 16, 3), "version 3.0"},
      {std::string("\x93NUMPY\1\0\xff\xff{'descr'", 18), "ends within its header"},
      {file_with(good, 15), "has 84 bytes where 2 x 2 numbers of 4 bytes make 85"},
      {file_with(good, 17), "make 85"},
      {file_with("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2)}", 16), "type '>f4'"},
      {file_with("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2)}", 32), "type '<i8'"},
      {file_with("{'descr': '\x1b[2J', 'fortran_order': False, 'shape': (2, 2)}", 32),
       "type '\\x1b[2J'"},
      {file_with("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 2)}", 16),
       "has no ' where one belongs"},
      {file_with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}", 16),
       "Fortran's order"},
      {file_with("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 2)}", 16), "has no False"},
      {file_with("{'descr': '<f4', 'shape': (2, 2)}", 16), "lacks descr, fortran_order or shape"},
      {file_with("{'descr': '<f4', 'descr': '<f8'}", 16), "the key 'descr' twice"},
      {file_with(good + "import os", 16), "goes on behind the }"},
      {file_with("{'descr': '<f4", 16), "a word without an end"},
      {with_shape("(4,)"), "has 1 dimensions"},
      {with_shape("()"), "has 0 dimensions"},
      {with_shape("(2, 2, 1)"), "has 3 dimensions"},
      {with_shape("(-2, -2)"), "no list of numbers"},
      {with_shape("(4294967296, 1)"), "too large"},
      {with_shape("(99999999999999999999, 1)"), "no list of numbers"},
      {with_shape("(2147483647, 2147483647)"), "too large"},
  };
  for (const auto& [bytes, message] : wrong) {
    put(bytes);
    const auto says = ThrowsMessage<std::runtime_error>(
        AllOf(HasSubstr("cannot read"), HasSubstr("A.npy: it"), HasSubstr(message)));
    EXPECT_THAT([&] { read_npy<float>(file()); }, says);
    EXPECT_THAT([&] { read_npy_shape(file()); }, says);
  }
}

TEST_F(Npy, SaysWhichFileCannotBeReadOrWritten) {
  EXPECT_THAT(
      [&] { read_npy<float>(file("none.npy")); },
      ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("none.npy"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { read_npy<float>(file().parent_path()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot read")));
  EXPECT_THAT([&] { write_npy(file("no/folder.npy"), Matrix<float>(1, 1)); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot write")));
}

}  // namespace
}  // namespace tilewise::grading
