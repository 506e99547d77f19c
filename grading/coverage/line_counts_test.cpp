#include "grading/coverage/line_counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* listing = R"(        -:    0:Source:labs/03_x/a.cu
        -:    0:Graph:/tmp/a.gcno
        -:    1:// n: the order
        7:    2:  if (n < 0) return;
       3*:    3:  a ? b : c;
    #####:    4:  b[n] = 1;
    =====:    5:  throw 1;
        5:    6:template
------------------
void f<1>():
        2:    6:template
------------------
void f<2>():
        3:    6:template
------------------
4294967296:    7:  sum += 1;
)";

TEST(GcovListing, CountsLines) {
  LineCounts counts;
  add_gcov_listing(listing, counts);
  EXPECT_THAT(counts, ElementsAre(Pair(2, 7), Pair(3, 3), Pair(4, 0), Pair(5, 0), Pair(6, 5),
                                  Pair(7, 4294967296)));
}

TEST(GcovListing, AddsToWhatOtherObjectsCounted) {
  LineCounts counts{{2, 1}, {4, 2}, {9, 0}};
  add_gcov_listing(listing, counts);
  EXPECT_EQ(counts[2], 8U);
  EXPECT_EQ(counts[4], 2U);
  EXPECT_EQ(counts[9], 0U);
}

TEST(GcovListing, MayHoldAnything) {
  for (const char* text :
       {"", ":", "::::\n", "5", "5:", "x:1:z", "5:99999999999:z", "5:0:z", "5:-1:z"}) {
    LineCounts counts;
    add_gcov_listing(text, counts);
    EXPECT_THAT(counts, IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace tilewise::grading
