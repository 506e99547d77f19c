#include "grading/repair/blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/simt/include/tilewise/variants.hpp"

namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// The lines on which the blocks of a source begin.
std::vector<int> lines_of_blocks(const std::string& text) {
  const SourceText source(text);
  std::vector<int> lines;
  for (const Part& block : blocks_of(source)) {
    lines.push_back(source.outline.code()[block.first].line);
  }
  return lines;
}

TEST(Blocks, AreBodiesThatRunFromTheirBeginning) {
  struct Case {
    const char* text;
    std::vector<int> lines;
  };
  const Case cases[] = {
      {"__global__ void f(int* a, int n) {\n"
       "  if (n > 1) {\n    a[0] = 1;\n  } else {\n    a[0] = 2;\n  }\n"
       "  for (int i = 0; i < n; ++i) a[i] = 3;\n}\n",
       {1, 2, 4}},
      // Nothing in front of a label runs, so that only the block behind it reports.
      {"__global__ void f(int* a, int n) {\n  switch (n) {\n    case 1: {\n      a[0] = 1;\n    }\n"
       "  }\n}\n",
       {1, 3}},
      {"constexpr int twice(int n) {\n  return 2 * n;\n}\n", {}},
      {"void f(int n) {\n  if (n) {\n    goto end;\n  }\n  end: return;\n}\n", {}},
  };
  for (const auto& [text, lines] : cases) EXPECT_EQ(lines_of_blocks(text), lines) << text;
}

TEST(Blocks, AreReadFromTheOutputOfTheirCall) {
  const std::string output = "sum = 3\n\036-1 0\n\036-2 4\n\036-1 12\n\036-12 5\n";
  EXPECT_THAT(blocks_in(output, -1), ElementsAre(0, 12));
  EXPECT_THAT(blocks_in(output, -2), ElementsAre(4));
  EXPECT_THAT(blocks_in(output, -3), IsEmpty());
}

TEST(Blocks, LeaveOutWhatAWrongCallNeverRuns) {
  const std::string text =
      "__global__ void f(int* a, int n) {\n"
      "  if (n % 4 == 0) {\n    a[n] = 1;\n  } else {\n    a[n + 1] = 2;\n  }\n}\n";
  const SourceText source(text);
  const auto all = variants_of(source, text);
  const auto lines_left = [&](const std::vector<Entered>& calls) {
    std::vector<Variant> variants = all;
    narrow_down(variants, source, calls);
    std::set<int> lines;
    for (const Variant& variant : variants) {
      // A statement that is moved changes both places.
      if (variant.changes.size() == 1) lines.insert(variant.line);
    }
    return lines;
  };
  EXPECT_THAT(lines_left({}), AllOf(Contains(3), Contains(5)));
  EXPECT_THAT(lines_left({{false, {0, 1}}}), AllOf(Contains(2), Contains(3), Not(Contains(5))));
  EXPECT_THAT(lines_left({{false, {0, 1}}, {false, {0, 2}}}),
              AllOf(Contains(2), Not(Contains(3)), Not(Contains(5))));
  // What a right call runs, too, is less likely to be wrong.
  std::vector<Variant> variants = all;
  narrow_down(variants, source, {{false, {0, 1, 2}}, {true, {0, 1}}});
  ASSERT_THAT(variants, SizeIs(all.size()));
  const auto first_on = [&](int line) {
    return std::ranges::find(variants, line, &Variant::line)->distance;
  };
  EXPECT_LT(first_on(5), first_on(3));
}

TEST(Blocks, ReportOnceForEachNumber) {
  testing::internal::CaptureStdout();
  for (const int number : {-1, -1, -2, 3}) {
    tilewise_variant = number;
    simt::enter(7);
  }
  tilewise_variant = 0;
  const std::string output = testing::internal::GetCapturedStdout();
  EXPECT_EQ(output, "\036-1 7\n\036-2 7\n");
}

// A copy of an object takes long, and a function that changes its argument would change the copy.
TEST(As, HandsObjectsOnByReference) {
  struct Pair {
    int a, b;
  };
  Pair pair = {1, 2}, other = {3, 4};
  const bool chosen = other.a == 3;
  EXPECT_EQ(&simt::as<Pair>(pair), &pair);
  EXPECT_EQ(&(chosen ? simt::as<Pair>(other) : simt::as<Pair>(pair)), &other);
  // What cannot be converted is another object, so that the choice is still one of objects.
  EXPECT_EQ(&(chosen ? simt::as<Pair>(pair) : simt::as<Pair>(7)), &pair);
  EXPECT_EQ(simt::as<int>(1.5), 1);
  EXPECT_EQ(simt::as<int>(pair), 0);
}

}  // namespace
}  // namespace tilewise::grading
