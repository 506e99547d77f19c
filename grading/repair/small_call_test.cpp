#include "grading/repair/small_call.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

/// A product, and a scaling of a matrix that has a leading dimension.
const std::vector<ContractInfo> functions = {
    {"product",
     {{"A", ParameterKind::matrix, 4, true, {}, "n, n"},
      {"n", ParameterKind::integer},
      {"tile", ParameterKind::integer}},
     "2 * n * n * n"},
    {"scale",
     {{"m", ParameterKind::integer},
      {"n", ParameterKind::integer},
      {"A", ParameterKind::matrix, 8, true, {}, "m, n, lda"},
      {"lda", ParameterKind::integer},
      {"by", ParameterKind::real}},
     "m * n"},
};

struct Case {
  const char* given;
  double most;
  const char* small;
};

class SmallCall : public testing::TestWithParam<Case> {};

TEST_P(SmallCall, IsAsRagged) {
  const auto call = small_call(GetParam().given, functions, GetParam().most);
  EXPECT_EQ(call ? call->text : "nothing", GetParam().small);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, SmallCall,
    testing::Values(Case{"product(n=50, tile=16)", 1e6, "product(n=50, tile=16)"},
                    Case{"product(n=101, tile=16)", 1e6, "product(n=69, tile=16)"},
                    Case{"product(n=1, tile=32)", 1, "nothing"},
                    Case{"product(n=512, tile=32)", 1e6, "product(n=64, tile=32)"},
                    Case{"scale(m=127, n=65, lda=70, by=0.5)", 40000,
                         "scale(m=95, n=33, lda=38, by=0.5)"},
                    Case{"scale(m=127)", 40000, "nothing"},
                    Case{"unknown(n=1)", 40000, "nothing"}));

TEST(CallsOfOneSize, HaveEachOfTheSizesAndAWholeOne) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"scale(m=96, n=64, lda=64, by=0.5)",
       {"scale(m=64, n=64, lda=64, by=0.5)", "scale(m=96, n=96, lda=96, by=0.5)",
        "scale(m=128, n=128, lda=128, by=0.5)"}},
      {"scale(m=64, n=64, lda=64, by=2)", {"scale(m=128, n=128, lda=128, by=2)"}},
      {"product(n=50, tile=16)", {"product(n=128, tile=16)"}},
      {"product(n=128, tile=16)", {}},
  };
  for (const auto& [text, calls] : cases) {
    EXPECT_EQ(calls_of_one_size(read_call(text, functions), functions), calls) << text;
  }
}

}  // namespace
}  // namespace tilewise::grading
