#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "grading/trace/capture.hpp"

namespace tilewise::grading {
namespace {

TEST(Codes, TellElementsApart) {
  for (const ElementNumber element : {0, 1, 2, 1000, most_coded_elements - 1}) {
    const auto value = std::bit_cast<float>(code_of(element));
    EXPECT_GT(value, 1.0f);
    EXPECT_LT(value, 2.0f);
    EXPECT_EQ(element_with(code_of(element)), element);
    EXPECT_EQ(element_with(code_of_double(element)), element);
  }
}

TEST(Codes, AreNoOtherNumbers) {
  for (const float value : {0.0f, 1.0f, -1.5f, 2.0f, 8.25f, 0.5f}) {
    EXPECT_EQ(element_with(std::bit_cast<std::uint32_t>(value)), no_element) << value;
    EXPECT_EQ(element_with(std::bit_cast<std::uint64_t>(double{value})), no_element) << value;
  }
  EXPECT_EQ(element_with(code_of_double(7) + 1), no_element) << "a result of arithmetic";
}

BufferArgument matrix(const char* name, std::size_t rows, std::size_t row_elements,
                      std::size_t element_bytes) {
  BufferArgument buffer;
  buffer.name = name;
  buffer.payload_bytes = buffer.image_bytes = rows * row_elements * element_bytes;
  buffer.row_elements = row_elements;
  buffer.element_bytes = element_bytes;
  buffer.device_only = true;
  return buffer;
}

TEST(CodedMatrices, LieApartFromEachOtherAndHoldTheirCodes) {
  NamedCall call;
  call.text = "f(n=3)";
  call.arguments = {std::int64_t{3}, matrix("A", 3, 4, 4), matrix("B", 2, 2, 8)};
  call.matrices = {{3, 3, 4}, {2, 2}};
  const std::vector<TraceMatrix> matrices = matrices_of(call);
  ASSERT_EQ(matrices.size(), 2u);
  EXPECT_EQ(matrices[0].cols, 3);
  EXPECT_EQ(matrices[0].leading_dimension, 4);
  EXPECT_EQ(matrices[1].first, 12) << "the gaps behind A's rows have numbers, too";

  const CodedCall coded = place_matrices(call);
  std::vector<std::byte> memory(coded.bytes);
  write_matrices(coded, matrices, memory);
  const auto& a = std::get<BufferArgument>(coded.arguments[1]);
  const auto& b = std::get<BufferArgument>(coded.arguments[2]);
  EXPECT_FALSE(a.device_only);
  EXPECT_EQ(a.payload_offset % 4096, 0u) << "as cudaMalloc would align it, and at partition 0";
  EXPECT_GE(a.image_bytes - a.payload_offset - a.payload_bytes, 32u * 4 * 4) << "a band behind it";
  EXPECT_EQ(b.offset, a.offset + a.image_bytes);
  std::uint32_t a_5 = 0;
  std::memcpy(&a_5, &memory[a.offset + a.payload_offset + 5 * 4], sizeof a_5);
  EXPECT_EQ(element_with(a_5), 5);
  std::uint64_t b_1 = 0;
  std::memcpy(&b_1, &memory[b.offset + b.payload_offset + 8], sizeof b_1);
  EXPECT_EQ(element_with(b_1), 13);
  EXPECT_EQ(matrices[1].first, 12) << "after the first matrix's, the gaps between its rows counted";
}

}  // namespace
}  // namespace tilewise::grading
