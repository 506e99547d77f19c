#include "grading/problem/input_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/process/scratch_directory.hpp"
#include "grading/problem/npy.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(InputChoice, ReadsTheThreeKinds) {
  const ScratchDirectory scratch;
  const std::string A = scratch.path() / "A.npy", B = scratch.path() / "B.npy";
  write_npy(A, Matrix<float>(3, 3));
  write_npy(B, Matrix<double>(3, 3));
  EXPECT_EQ(describe(read_input_choice("random", 17)), "random, seed 17");
  EXPECT_EQ(describe(read_input_choice("linear", 17)), "linear");
  const InputChoice files = read_input_choice(A + "," + B, 17);
  EXPECT_EQ(files.order, 3);
  EXPECT_EQ(describe(files), A + ", " + B);
}

TEST(InputChoice, SaysWhatIsWrong) {
  const ScratchDirectory scratch;
  const auto file = [&](const char* name, int rows, int cols) {
    const std::string path = scratch.path() / name;
    write_npy(path, Matrix<float>(rows, cols));
    return path;
  };
  const std::string three = file("three.npy", 3, 3), four = file("four.npy", 4, 4);
  const std::string flat = file("flat.npy", 3, 4), empty = file("empty.npy", 0, 0);
  const struct {
    std::string text;
    const char* message;
  } wrong[] = {
      {"", "there are random, linear, and two files"},
      {"zeros", "--inputs 'zeros': there are"},
      {"A.npy,", "there are"},
      {",B.npy", "there are"},
      {three + "," + three + "," + three, "there are"},
      {three + ",none.npy", "cannot read none.npy"},
      {three + "," + four, "is of order 3"},
      {flat + "," + three, "holds a matrix of 3 x 4; square ones are multiplied"},
      {empty + "," + empty, "a matrix of 0 x 0"},
  };
  for (const auto& [text, message] : wrong) {
    EXPECT_THAT([&text = text] { read_input_choice(text, 0); },
                ThrowsMessage<std::runtime_error>(HasSubstr(message)))
        << text;
  }
}

}  // namespace
}  // namespace tilewise::grading
