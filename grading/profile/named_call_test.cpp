#include "grading/profile/named_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A transpose of rows x cols elements, launched with a block.
const std::vector<ContractInfo> functions = {
    {"transpose",
     {{"out", ParameterKind::matrix, 4, false},
      {"in", ParameterKind::matrix, 8, true},
      {"rows", ParameterKind::integer},
      {"cols", ParameterKind::integer},
      {"block", ParameterKind::extent}},
     [](const Integers& given) {
       return std::vector<MatrixShape>{{given.at("cols"), given.at("rows")},
                                       {given.at("rows"), given.at("cols")}};
     }},
    {"nothing", {}, [](const Integers&) { return std::vector<MatrixShape>{}; }},
};

TEST(NamedCall, GivesEveryParameterItsArgument) {
  const NamedCall call = read_call("transpose(rows=3, cols=5, block=128x1)", functions);
  EXPECT_EQ(call.function, "transpose");
  EXPECT_EQ(call.text, "transpose(rows=3, cols=5, block=128x1)");
  ASSERT_EQ(call.arguments.size(), 5u);
  const auto& out = std::get<BufferArgument>(call.arguments[0]);
  EXPECT_EQ(out.name, "out");
  EXPECT_EQ(out.payload_bytes, 60u);
  EXPECT_EQ(out.image_bytes, 60u);
  EXPECT_EQ(out.row_elements, 3u);
  EXPECT_FALSE(out.read_only);
  EXPECT_TRUE(out.device_only);
  const auto& in = std::get<BufferArgument>(call.arguments[1]);
  EXPECT_EQ(in.payload_bytes, 120u);
  EXPECT_EQ(in.element_bytes, 8u);
  EXPECT_EQ(in.row_elements, 5u);
  EXPECT_TRUE(in.read_only);
  EXPECT_EQ(std::get<std::int64_t>(call.arguments[2]), 3);
  EXPECT_EQ(std::get<std::int64_t>(call.arguments[3]), 5);
  EXPECT_THAT((std::get<std::array<unsigned, 3>>(call.arguments[4])), ElementsAre(128, 1, 1));
}

TEST(NamedCall, TakesArgumentsInAnyOrderAndBlanksAnywhere) {
  EXPECT_EQ(read_call("  transpose ( block = 8x4x2,rows=1 , cols = 2 ) ", functions).text,
            "transpose(rows=1, cols=2, block=8x4x2)");
  EXPECT_EQ(read_call("transpose(block=7,rows=1,cols=2)", functions).text,
            "transpose(rows=1, cols=2, block=7x1)");
  EXPECT_EQ(read_call("nothing()", functions).text, "nothing()");
}

TEST(NamedCall, SaysWhatIsWrongAndWhatThereIs) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "'' is no call; write it as NAME(argument=value, argument=value)"},
      {"transpose", "'transpose' is no call"},
      {"transpose(rows=1", "'transpose(rows=1' is no call"},
      {"multiply(n=1)",
       "this stage has no function 'multiply'; it has transpose(rows=NUMBER, cols=NUMBER, "
       "block=128x1), nothing()"},
      {"transpose(3, 5)", "the argument '3' has no name; write it as name=value"},
      {"transpose(rows=1,,cols=2)", "the argument '' has no name"},
      {"transpose(rows=1, rows=1)", "the argument rows is given twice"},
      {"transpose(rows=1, cols=2)",
       "the argument block is missing: transpose(rows=NUMBER, cols=NUMBER, block=128x1)"},
      {"transpose(rows=1, cols=2, block=8x8, tile=3)", "there is no argument tile: transpose("},
      {"transpose(rows=1, cols=2, block=8x8, in=3)", "there is no argument in"},
      {"transpose(rows=many, cols=2, block=8x8)", "rows='many' is no whole number"},
      {"transpose(rows=1.5, cols=2, block=8x8)", "rows='1.5' is no whole number"},
      {"transpose(rows=, cols=2, block=8x8)", "rows='' is no whole number"},
      {"transpose(rows=99999999999999999999, cols=2, block=8x8)", "is no whole number"},
      {"transpose(rows=1, cols=2, block=8x)", "block='8x' is no extent; write it as 128x1"},
      {"transpose(rows=1, cols=2, block=8x8x8x8)", "block='8x8x8x8' is no extent"},
      {"transpose(rows=1, cols=2, block=-8)", "block='-8' is no extent"},
      {"transpose(rows=-1, cols=2, block=8)", "the matrix out would have 2 rows and -1 columns"},
      {"transpose(rows=99999999999, cols=2, block=8)", "no GPU holds it"},
  };
  for (const auto& [text, message] : cases) {
    try {
      read_call(text, functions);
      ADD_FAILURE() << text;
    } catch (const BadCall& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace tilewise::grading
