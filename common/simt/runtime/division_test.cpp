#include "common/simt/runtime/division.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <limits>

namespace tilewise::simt {
namespace {

#if defined(__linux__) && defined(__x86_64__)

RefusedDivision last = RefusedDivision::none;

class Divisions : public ::testing::Test {
 protected:
  void SetUp() override {
    struct sigaction action {};
    action.sa_sigaction = [](int, siginfo_t*, void* context) {
      last = go_on_behind_division(context);
      if (last == RefusedDivision::none) signal(SIGFPE, SIG_DFL);
    };
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGFPE, &action, &before_);
    last = RefusedDivision::none;
  }
  void TearDown() override { sigaction(SIGFPE, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

/// Divides by an operand in a register or in memory, as the constraint of inline assembly says.
#define DIVIDE(instruction, constraint, Number, a, b, high)                                   \
  ([](Number dividend, Number divisor) {                                                      \
    Number quotient = dividend, remainder = high;                                             \
    asm volatile(instruction : "+a"(quotient), "+d"(remainder) : constraint(divisor) : "cc"); \
    return std::pair(quotient, remainder);                                                    \
  }(a, b))

TEST_F(Divisions, ByZeroGiveAllOnes) {
  const auto all = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ((DIVIDE("divl %2", "r", std::uint32_t, 7, 0, 0)), (std::pair(all, all)));
  EXPECT_EQ(last, RefusedDivision::by_zero);
  EXPECT_EQ((DIVIDE("divl %2", "m", std::uint32_t, 7, 0, 0)), (std::pair(all, all)));
  EXPECT_EQ((DIVIDE("idivl %2", "r", std::int32_t, -7, 0, -1)), (std::pair(-1, -1)));
  EXPECT_EQ((DIVIDE("idivq %2", "r", std::int64_t, 7, 0, 0)),
            (std::pair(std::int64_t{-1}, std::int64_t{-1})));
  EXPECT_EQ((DIVIDE("divw %2", "m", std::uint16_t, 7, 0, 0)),
            (std::pair(std::uint16_t{0xffff}, std::uint16_t{0xffff})));
}

TEST_F(Divisions, ByOneLessThanZeroOfTheLeastNumberOverflow) {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ((DIVIDE("idivl %2", "r", std::int32_t, least, -1, -1)), (std::pair(least, 0)));
  EXPECT_EQ(last, RefusedDivision::overflows);
  constexpr auto least_of_64 = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ((DIVIDE("idivq %2", "m", std::int64_t, least_of_64, -1, -1)),
            (std::pair(least_of_64, std::int64_t{0})));
}

TEST_F(Divisions, ThatAreNotRefusedAreLeftAlone) {
  EXPECT_EQ((DIVIDE("divl %2", "r", std::uint32_t, 17, 5, 0)), (std::pair(3u, 2u)));
  EXPECT_EQ(last, RefusedDivision::none);
}

#endif

}  // namespace
}  // namespace tilewise::simt
