#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/test/matches.hpp"
#include "grading/page/render.hpp"
#include "grading/trace/trace_page.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::Not;
using Action = simt::TracedRequest::Action;

TraceRequest request(Action action, bool shared, std::uint32_t interval,
                     std::vector<std::uint32_t> at) {
  TraceRequest made;
  made.made.action = action;
  made.made.shared = shared;
  made.made.interval = interval;
  made.made.bytes = 4;
  made.made.lanes = (1u << at.size()) - 1;
  made.made.cost = 1;
  made.made.detail = static_cast<std::uint32_t>(4 * at.size());
  made.made.at = std::move(at);
  made.matrix = shared ? -1 : 0;
  return made;
}

/// Returns a trace in which two threads load A[0][0] and A[0][1], and then both use A[0][1].
Trace example() {
  Trace trace;
  trace.call = "f<&\"(n=2)";
  trace.gpu = core::gpu_profile("gtx1080");
  trace.matrices = {{"A", 2, 2, 2, 4, true, 0, 0}};
  TraceKernel kernel;
  kernel.launch = {"k", {1, 1, 1}, {2, 1, 1}, 0, "f.cu", 9};
  kernel.sites = {{"f.cu", 1}};
  kernel.arrays = {{"As", 0, 4, {1, 2}}};
  TraceRequest load = request(Action::load, false, 0, {0, 4});
  TraceRequest use = request(Action::load, true, 1, {4, 4});
  use.origins = {1, 1};
  use.made.detail = 0;
  kernel.blocks = {{0, 2, false, {load, use}}};
  trace.kernels = {kernel};
  trace.sources["f.cu"] = {"  x = a < b;"};
  return trace;
}

int count(const std::string& text, const std::string& pattern) {
  return static_cast<int>(core::matches_of(text, pattern).size());
}

/// Checks that each attribute has a value, which XML demands and HTML does not.
bool is_well_formed(const std::string& svg) {
  return count(svg, "<[a-z]") == count(svg, R"(<[a-z]+( [a-zA-Z:-]+="[^"<]*")*/?>)");
}

TEST(Figure, ShowsWhatThreadsLoadAndUse) {
  const std::string all = draw_figure(example(), {});
  EXPECT_THAT(all, HasSubstr("in intervals 0 to 1, of 2"));
  EXPECT_EQ(count(all, R"(<circle class="touch use t0")"), 1);
  EXPECT_EQ(count(all, R"(<circle class="touch use t1")"), 1);
  EXPECT_EQ(count(all, R"(<rect class="touch load t0")"), 1) << "A[0][0]";
  EXPECT_EQ(count(all, R"(<rect class="touch load t1")"), 1) << "A[0][1]";
  EXPECT_THAT(all, HasSubstr(">thread (1, 0)<"));
  EXPECT_THAT(all, HasSubstr(">loads from global memory<"));
  EXPECT_THAT(all, HasSubstr(">uses from shared memory<"));
  EXPECT_THAT(all, Not(HasSubstr("writes")));
  const std::string loads = draw_figure(example(), {.intervals = {{0, 0}}});
  EXPECT_EQ(count(loads, "<circle"), 0);
  const std::string one = draw_figure(example(), {.intervals = {{1, 1}}, .threads = {{1, 0}}});
  EXPECT_EQ(count(one, R"(<circle class="touch use t0")"), 1);
  EXPECT_EQ(count(one, R"(<(rect|circle) class="[^"]*t1)"), 0);
}

/// A figure marks the same faults that the page marks in red.
TEST(Figure, ShowsFaults) {
  Trace trace = example();
  TraceRequest& load = trace.kernels[0].blocks[0].requests[0];
  load.racing = 1;
  load.made.at[1] = 16;
  load.outside = 2;
  const std::string all = draw_figure(trace, {});
  EXPECT_EQ(count(all, R"(<rect class="racing")"), 1);
  EXPECT_EQ(count(all, R"(<g class="stray" data-stray="A\[2\]\[0\]")"), 1);
}

TEST(Figure, ShowsARequest) {
  const std::string sectors = draw_figure(example(), {.view = "sectors"});
  EXPECT_THAT(sectors, HasSubstr("2 lanes load 8 bytes of A; 1 sectors"));
  EXPECT_THAT(sectors, HasSubstr("25.0% of 32"));
  EXPECT_THAT(sectors, HasSubstr("A[0][0]"));
  EXPECT_THAT(sectors, HasSubstr("x = a &lt; b;"));
  const std::string banks = draw_figure(example(), {.view = "banks"});
  EXPECT_THAT(banks, HasSubstr("2 lanes load 1 words: 1 wavefront, no bank conflict."));
  EXPECT_THAT(banks, HasSubstr(">x2<"));
  EXPECT_THAT(banks, HasSubstr("As[0][0]"));
}

// Bank 0 serves the words 0 and 32. On compute capability 1.x different half-warps read them.
TEST(Figure, MarksBanksInConflictOnly) {
  Trace trace = example();
  TraceRequest& use = trace.kernels[0].blocks[0].requests[1];
  use.made.lanes = 1u | 1u << 16;
  use.made.at = {0, 128};
  use.made.cost = 2;
  const FigureChoice banks{.view = "banks"};
  EXPECT_EQ(count(draw_figure(trace, banks), R"(<g class="word conflict")"), 0) << "a wide access";
  use.made.detail = 1;
  EXPECT_EQ(count(draw_figure(trace, banks), R"(<g class="word conflict")"), 2);
  trace.gpu = core::gpu_profile("gtx280");
  EXPECT_EQ(count(draw_figure(trace, banks), R"(<g class="word conflict")"), 0);
}

TEST(Figure, ShowsPartitions) {
  Trace trace = example();
  simt::PartitionBytes block;
  block.loads = {64, 64, 0, 0, 0, 0, 0, 0};
  block.stores = {0, 0, 0, 128, 0, 0, 0, 0};
  trace.kernels[0].partitions = {block, block};
  const std::string partitions = draw_figure(trace, {.view = "partitions"});
  EXPECT_THAT(partitions, HasSubstr("as fast as 2.0 of 8"));
  EXPECT_THAT(partitions, HasSubstr("as fast as 1.0 of 8"));
}

TEST(Figure, IsTheSameEachTimeAndTakesTextForText) {
  for (const char* view : {"matrices", "sectors", "banks"}) {
    const std::string once = draw_figure(example(), {.view = view});
    EXPECT_EQ(once, draw_figure(example(), {.view = view}));
    EXPECT_TRUE(is_well_formed(once)) << once;
    EXPECT_THAT(once, Not(HasSubstr("f<&")));
    EXPECT_THAT(once, HasSubstr("f&lt;&amp;"));
  }
}

TEST(Figure, SaysWhatItCannotShow) {
  const auto refused = [](const Trace& trace, const FigureChoice& choice) {
    try {
      draw_figure(trace, choice);
      return std::string("drawn");
    } catch (const CannotDraw& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused(example(), {.threads = {{2, 0}}}), HasSubstr("no thread (2, 0)"));
  EXPECT_THAT(refused(example(), {.view = "partitions"}), HasSubstr("--gpu gtx280"));
  EXPECT_THAT(refused(example(), {.view = "banks", .intervals = {{0, 0}}}),
              HasSubstr("no request to shared memory in these intervals"));
  Trace empty = example();
  empty.kernels.clear();
  EXPECT_THAT(refused(empty, {}), HasSubstr("nothing to draw"));
}

}  // namespace
}  // namespace tilewise::grading
