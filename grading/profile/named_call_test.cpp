#include "grading/profile/named_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/profile/numbers.hpp"

// These are never defined, because a contract needs only the declaration.
cudaError_t dgemm(int m, int n, int k, double alpha, const double* A, int lda, const double* B,
                  int ldb, double beta, double* C, int ldc);
cudaError_t dtrsm_32(int n, double alpha, const double* A, int lda, double* B, int ldb);

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The contract of a transpose of rows x cols elements, with the block as a parameter.
const std::vector<ContractInfo> functions = {
    {"transpose",
     {{"out", ParameterKind::matrix, 4, false, {}, "cols, rows"},
      {"in", ParameterKind::matrix, 8, true, {}, "rows, cols"},
      {"rows", ParameterKind::integer},
      {"cols", ParameterKind::integer},
      {"block", ParameterKind::extent}}},
    {"nothing", {}},
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

const std::vector<ContractInfo> blas = {
    CONTRACT(dgemm, "2 * m * n * k", "m", "n", "k", "alpha=1", "A(m, k, lda)", "lda=k",
             "B(k, n, ldb)", "ldb=n", "beta=0", "C(m, n, ldc)", "ldc=n")
        .info(),
    CONTRACT(dtrsm_32, "32 * 32 * n", "n", "alpha=1", "A(32, 32, lda)", "lda=32", "B(32, n, ldb)",
             "ldb=n")
        .info(),
};

TEST(NamedCall, TakesDefaultsFromTheContract) {
  const struct {
    const char* text;
    const char* full;
  } cases[] = {
      {"dgemm(m=5, n=7, k=3)", "dgemm(m=5, n=7, k=3, alpha=1, lda=3, ldb=7, beta=0, ldc=7)"},
      {"dgemm(m=5, n=7, k=3, lda=8, beta=-0.5)",
       "dgemm(m=5, n=7, k=3, alpha=1, lda=8, ldb=7, beta=-0.5, ldc=7)"},
      {"dgemm(alpha=1e-3, ldc=16, ldb=9, k=3, n=7, m=5)",
       "dgemm(m=5, n=7, k=3, alpha=0.001, lda=3, ldb=9, beta=0, ldc=16)"},
      {"dtrsm_32(n=100)", "dtrsm_32(n=100, alpha=1, lda=32, ldb=100)"},
      {"dtrsm_32(n=100, lda=40)", "dtrsm_32(n=100, alpha=1, lda=40, ldb=100)"},
  };
  for (const auto& [text, full] : cases) EXPECT_EQ(read_call(text, blas).text, full);
}

TEST(NamedCall, HandsOverRealsAndMatricesAsWideAsTheirLeadingDimensions) {
  const NamedCall call = read_call("dgemm(m=5, n=7, k=3, alpha=2.5, lda=8)", blas);
  ASSERT_EQ(call.arguments.size(), 11u);
  EXPECT_EQ(std::get<double>(call.arguments[3]), 2.5);
  EXPECT_EQ(std::get<double>(call.arguments[8]), 0.0);
  const struct {
    std::size_t parameter, rows, row_elements;
    bool read_only;
  } matrices[] = {{4, 5, 8, true}, {6, 3, 7, true}, {9, 5, 7, false}};
  for (const auto& expected : matrices) {
    SCOPED_TRACE(expected.parameter);
    const auto& matrix = std::get<BufferArgument>(call.arguments[expected.parameter]);
    EXPECT_EQ(matrix.element_bytes, sizeof(double));
    EXPECT_EQ(matrix.row_elements, expected.row_elements);
    EXPECT_EQ(matrix.payload_bytes, expected.rows * expected.row_elements * sizeof(double));
    EXPECT_EQ(matrix.read_only, expected.read_only);
  }
}

TEST(NamedCall, SaysWhichArgumentsHaveDefaults) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"dgemm(m=5, n=7)",
       "the argument k is missing: dgemm(m=NUMBER, n=NUMBER, k=NUMBER, [alpha=1], [lda=k], "
       "[ldb=n], [beta=0], [ldc=n])"},
      {"dgemm(m=5, n=7, k=3, gamma=1)", "there is no argument gamma: dgemm(m=NUMBER"},
      {"dgemm(m=5, n=7, k=3, alpha=one)", "alpha='one' is no number"},
      {"dgemm(m=5, n=7, k=3, alpha=)", "alpha='' is no number"},
      {"dgemm(m=5, n=7, k=3, alpha=1x)", "alpha='1x' is no number"},
      {"dgemm(m=5, n=7, k=3, lda=k)", "lda='k' is no whole number"},
      {"dgemm(m=5, n=7, k=3, lda=2.5)", "lda='2.5' is no whole number"},
      {"dgemm(m=5, n=7, k=3, lda=-8)", "the matrix A would have 5 rows and -8 columns"},
  };
  for (const auto& [text, message] : cases) {
    try {
      read_call(text, blas);
      ADD_FAILURE() << text;
    } catch (const BadCall& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  }
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

TEST(NamedCall, SaysWhatAContractHasNot) {
  const struct {
    ContractInfo function;
    const char* message;
  } cases[] = {
      {{"f", {{"A", ParameterKind::matrix, 4, true, {}, "rows, 2"}}},
       "has 'rows', which is neither"},
      {{"f", {{"A", ParameterKind::matrix, 4, true, {}, ""}}}, "the matrix A()"},
      {{"f", {{"A", ParameterKind::matrix, 4, true, {}, "1, 2, 3, 4"}}},
       "the matrix A(1, 2, 3, 4)"},
      {{"f", {}, "2 * n"}, "has 'n', which is neither"},
  };
  for (const auto& [function, message] : cases) {
    try {
      read_call("f()", {function});
      ADD_FAILURE() << message;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  }
}

TEST(NamedCall, KnowsHowMuchIsComputed) {
  const NamedCall product = read_call("dgemm(m=2, n=3, k=5)", blas);
  EXPECT_EQ(product.operations, 2 * 2 * 3 * 5);
  EXPECT_TRUE(product.double_precision);
  EXPECT_EQ(read_call("dtrsm_32(n=7)", blas).operations, 32 * 32 * 7);
  EXPECT_EQ(read_call("transpose(rows=1, cols=2, block=8)", functions).operations, 0);
  EXPECT_EQ(read_call("nothing()", functions).operations, 0);
  EXPECT_FALSE(read_call("nothing()", functions).double_precision);
}

TEST(NumberText, HasFourDigitsThatCount) {
  const std::pair<double, const char*> cases[] = {{0, "0"},
                                                  {0.012345, "0.01235"},
                                                  {1.0, "1.000"},
                                                  {12.345, "12.35"},
                                                  {999.94, "999.9"},
                                                  {1234.5, "1,235"},
                                                  {1234567, "1,234,567"},
                                                  {INFINITY, "?"},
                                                  {NAN, "?"},
                                                  {1e18, "1,000,000,000,000,000,000"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(significant(value), text) << value;
}

}  // namespace
}  // namespace tilewise::grading
