#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "common/simt/recorder/control_flow.hpp"

namespace tilewise::simt {
namespace {

/// Returns the blocks by their letters, with each loop's in parentheses.
std::string order_of(const ControlFlow& flow, std::string_view ends = "") {
  Marks marks(flow.size(), false);
  for (const char end : ends) marks[static_cast<std::size_t>(end - 'A')] = true;
  const BlockPaths paths = order_blocks(flow, marks, std::vector<std::uint32_t>(flow.size(), 1));
  std::vector<std::uint32_t> blocks(flow.size());
  std::iota(blocks.begin(), blocks.end(), 0u);
  std::ranges::sort(blocks, {}, [&](std::uint32_t block) { return paths[block]; });
  std::string text;
  std::vector<std::uint32_t> open;
  for (const std::uint32_t block : blocks) {
    const std::vector<std::uint32_t> loops(paths[block].begin(), paths[block].end() - 1);
    const auto shared = static_cast<std::size_t>(
        std::mismatch(open.begin(), open.end(), loops.begin(), loops.end()).first - open.begin());
    text.append(open.size() - shared, ')');
    text.append(loops.size() - shared, '(');
    text += static_cast<char>('A' + block);
    open = loops;
  }
  return text + std::string(open.size(), ')');
}

enum : std::uint32_t { A, B, C, D, E, F, G, H };

TEST(BlockOrder, IsTheOneOfTheControlFlow) {
  const struct {
    const char* what;
    ControlFlow flow;
    const char* order;
  } cases[] = {
      {"one block", {{}}, "A"},
      {"a branch", {{B, C}, {C}, {}}, "ABC"},
      {"a branch laid out behind the end", {{B, C}, {}, {B}}, "ACB"},
      {"two ways, the end between them", {{B, D}, {C}, {}, {C}}, "ABDC"},
      {"a switch that falls through, backwards", {{B, C, D}, {E}, {B}, {C}, {}}, "ADCBE"},
      {"two returns", {{B, C}, {}, {D, E}, {}, {}}, "ABCDE"},
      {"a loop of one block", {{B}, {B, C}, {}}, "A(B)C"},
      {"a loop behind what follows it", {{C}, {}, {D}, {C, B}}, "A(CD)B"},
      {"a loop entered at its end", {{C}, {C}, {B, D}, {}}, "A(CB)D"},
      {"early continue", {{B}, {C, D}, {D}, {B, E}, {}}, "A(BCD)E"},
      {"two ways back", {{B}, {C, B}, {B, D}, {}}, "A(BC)D"},
      {"nested", {{B}, {C}, {C, D}, {B, E}, {}}, "A(B(C)D)E"},
      {"nested, laid out inside out", {{D}, {B, C}, {D, E}, {B}, {}}, "A(D(B)C)E"},
      {"a way out of two loops", {{B}, {C}, {D, F}, {C, E}, {B, F}, {}}, "A(B(CD)E)F"},
      {"the entry is a loop", {{A, B}, {}}, "(A)B"},
      {"no end", {{B}, {B}}, "A(B)"},
      {"entered at two places", {{B, C}, {C, D}, {B}, {}}, "A(BC)D"},
      {"what nothing leads to", {{C}, {C}, {}}, "ACB"},
      {"what nothing leads to, before a loop", {{D}, {C}, {D, E}, {C}, {}}, "A(DC)EB"},
  };
  for (const auto& c : cases) EXPECT_EQ(order_of(c.flow), c.order) << c.what;
}

TEST(BlockOrder, HasWaysToALoopsMarkedEndInTheLoop) {
  const struct {
    const char* what;
    ControlFlow flow;
    const char* ends;
    const char* order;
  } cases[] = {
      {"nothing on the way", {{B}, {B, C}, {}}, "C", "A(B)C"},
      {"break behind a load", {{B}, {C, D}, {E}, {B, E}, {}}, "E", "A(BCD)E"},
      {"laid out behind the end", {{B}, {C, E}, {B, D}, {}, {D}}, "D", "A(BCE)D"},
      {"return behind a load", {{B}, {C, D}, {F}, {B, E}, {F}, {}}, "EF", "A(BCD)EF"},
      {"without marks", {{B}, {C, D}, {E}, {B, E}, {}}, "", "A(BD)CE"},
      {"a way that others come to", {{B, C}, {C, D}, {E}, {B, E}, {}}, "E", "A(BD)CE"},
      {"two breaks to one load", {{B}, {C, D}, {F}, {C, E}, {B, F}, {}}, "F", "A(BDCE)F"},
      {"out of two loops", {{B}, {C}, {D, E}, {G}, {C, F}, {B, G}, {}}, "GF", "A(B(CDE)F)G"},
  };
  for (const auto& c : cases) EXPECT_EQ(order_of(c.flow, c.ends), c.order) << c.what;
}

TEST(BlockOrder, LeavesRoom) {
  const BlockPaths paths = order_blocks({{C}, {}, {B}}, Marks(3, false), {5, 1, 7});
  EXPECT_GE(paths[C][0], paths[A][0] + 5);
  EXPECT_GE(paths[B][0], paths[C][0] + 7);
}

// Loops that have no single entry can be nested as deep as there are blocks. Here each block leads
// to all.
TEST(BlockOrder, EndsSoonWhereEverythingLeadsEverywhere) {
  constexpr std::uint32_t blocks = 300;
  std::vector<std::uint32_t> all(blocks);
  std::iota(all.begin(), all.end(), 0u);
  const BlockPaths paths = order_blocks(ControlFlow(blocks, all), Marks(blocks, false),
                                        std::vector<std::uint32_t>(blocks, 1));
  for (const auto& path : paths) EXPECT_LT(path.size(), 30u);
}

// Neither recursion nor time may get out of hand, because a kernel's thread has a small stack.
TEST(BlockOrder, TakesLongFunctions) {
  constexpr std::uint32_t blocks = 60'000;
  ControlFlow flow(blocks);
  for (std::uint32_t block = 0; block + 1 < blocks; ++block) {
    flow[block] = {block + 1};
    if (block % 3 == 2) flow[block].push_back(block - 1);
  }
  const BlockPaths paths =
      order_blocks(flow, Marks(blocks, false), std::vector<std::uint32_t>(blocks, 1));
  EXPECT_TRUE(std::ranges::is_sorted(paths));
}

}  // namespace
}  // namespace tilewise::simt
