#include "grading/bench/memory_needs.hpp"

#include <gtest/gtest.h>

#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

TEST(MemoryNeeds, SayHowMuchMatricesTake) {
  const auto of = [](const std::string& stage, const std::string& call) {
    return memory_of(read_call(call, contracts_of(stage)));
  };
  EXPECT_EQ(of("02_multi_block_grid", "matmul_grid(n=65536, block=16x16)"),
            "51.5 GB (3 matrices of 17.2 GB)");
  EXPECT_EQ(of("07_transpose", "transpose_naive(rows=1000, cols=1000)"),
            "8 MB (2 matrices of 4 MB)");
  EXPECT_EQ(of("08_dgemm_dtrsm", "dtrsm_32_shared(n=4000000)"), "1.0 GB") << "A is small";
}

TEST(MemoryNeeds, FindWhatTheMachineHas) {
  EXPECT_EQ(available_in("MemTotal:  200 kB\nMemAvailable:     100 kB\nCached: 1 kB\n"),
            100u * 1024);
  EXPECT_EQ(available_in("MemTotal:  200 kB\n"), std::nullopt);
  EXPECT_EQ(available_in("MemAvailable: many"), std::nullopt);
  EXPECT_EQ(available_in("MemAvailable:"), std::nullopt);
  EXPECT_EQ(available_in(""), std::nullopt);
}

}  // namespace
}  // namespace tilewise::grading
