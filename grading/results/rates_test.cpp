#include "grading/results/rates.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

TEST(RatesOf, TakesTheTestsOwnOrThoseOfItsKernels) {
  const struct {
    std::map<std::string, double> measurements;
    std::vector<MeasuredRate> rates;
  } cases[] = {
      {{}, {}},
      {{{"minimum_gflops", 700}, {"reference_gflops", 994}}, {}},
      {{{"gflops", 994}, {"gflops_n1024", 900}, {"minimum_gflops", 700}}, {{"gflops", 994}}},
      {{{"gb_s_shared", 200}, {"gb_s_shuffle", 250}},
       {{"gb_s_shared", 200}, {"gb_s_shuffle", 250}}},
  };
  for (const auto& [measurements, rates] : cases) {
    TestResult test;
    test.measurements = measurements;
    EXPECT_EQ(rates_of(test), rates);
  }
}

TEST(UnitOf, IsOfOperationsOrBytes) {
  EXPECT_EQ(unit_of("gflops_n1024"), "GFLOPS");
  EXPECT_EQ(unit_of("gb_s_gemv"), "GB/s");
}

}  // namespace
}  // namespace tilewise::grading
