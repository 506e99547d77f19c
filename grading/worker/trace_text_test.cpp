#include "grading/worker/trace_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TraceText example() {
  simt::KernelTrace kernel;
  kernel.launch = {"k<16>", {2, 1, 1}, {8, 8, 1}, 64, "k.cu", 7};
  kernel.sites = {{"k.cu", 3}, {"", 0}};
  kernel.arrays = {{"As", 256, 4, {8, 9}}};
  simt::TracedRequest load;
  load.lanes = 0b101;
  load.at = {4096, 4100};
  load.bytes = 4;
  load.cost = 1;
  load.detail = 8;
  simt::TracedRequest store = load;
  store.action = simt::TracedRequest::Action::store;
  store.shared = true;
  store.interval = 1;
  store.warp = 1;
  store.site = 1;
  store.bytes = 8;
  store.at = {0, 8};
  store.words = {1, 2, 3, 4};
  kernel.blocks = {{1, 2, true, {load, store}}};
  return {{{"A", 4096}, {"B", 1u << 20}}, {kernel, kernel}};
}

TEST(TraceText, CarriesWhatKernelsDid) {
  std::string problem;
  const TraceText read = decode_trace(encode_trace(example(), 1 << 20), problem);
  EXPECT_EQ(problem, "");
  EXPECT_THAT(read.buffers, ElementsAre(PlacedBuffer{"A", 4096}, PlacedBuffer{"B", 1u << 20}));
  ASSERT_EQ(read.kernels.size(), 2u);
  const simt::KernelTrace& kernel = read.kernels[1];
  EXPECT_EQ(kernel.launch.kernel, "k<16>");
  EXPECT_THAT(kernel.launch.block, ElementsAre(8, 8, 1));
  EXPECT_EQ(kernel.sites[0].line, 3);
  EXPECT_THAT(kernel.arrays[0].extents, ElementsAre(8, 9));
  const simt::BlockTrace& block = kernel.blocks.at(0);
  EXPECT_EQ(block.number, 1u);
  EXPECT_TRUE(block.cut);
  EXPECT_THAT(block.requests[0].at, ElementsAre(4096, 4100));
  EXPECT_EQ(block.requests[0].detail, 8u);
  const simt::TracedRequest& store = block.requests[1];
  EXPECT_EQ(store.action, simt::TracedRequest::Action::store);
  EXPECT_TRUE(store.shared);
  EXPECT_EQ(store.lanes, 0b101u);
  EXPECT_EQ(store.interval + store.warp + store.site, 3u);
  EXPECT_THAT(store.words, ElementsAre(1, 2, 3, 4));
}

TEST(TraceText, LeavesOutKernelsThatHaveNoRoom) {
  const std::size_t all = encode_trace(example(), 1 << 20).size();
  std::string problem;
  EXPECT_EQ(decode_trace(encode_trace(example(), all), problem).kernels.size(), 2u);
  const std::string shorter = encode_trace(example(), all - 1);
  EXPECT_LT(shorter.size(), all);
  EXPECT_EQ(decode_trace(shorter, problem).kernels.size(), 1u);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(encode_trace(example(), 10), "");
}

/// Returns the example with one change that no worker would have written.
std::string spoilt(void (*spoil)(simt::KernelTrace& kernel)) {
  TraceText trace = example();
  spoil(trace.kernels[0]);
  return encode_trace(trace, 1 << 20);
}

simt::TracedRequest& first_request(simt::KernelTrace& kernel) {
  return kernel.blocks[0].requests[0];
}

TEST(TraceText, RefusesWhatNoWorkerWrites) {
  using Kernel = simt::KernelTrace;
  const std::string texts[] = {
      "",
      "{}",
      "[1, 2",
      R"({"buffers": 3, "kernels": []})",
      R"({"buffers": [], "kernels": [{}]})",
      spoilt([](Kernel& kernel) { first_request(kernel).site = 2; }),
      spoilt([](Kernel& kernel) { first_request(kernel).interval = 2; }),
      spoilt([](Kernel& kernel) { first_request(kernel).warp = 32; }),
      spoilt([](Kernel& kernel) { first_request(kernel).bytes = 3; }),
      spoilt([](Kernel& kernel) { first_request(kernel).bytes = 32; }),
      spoilt([](Kernel& kernel) { first_request(kernel).lanes = 0b111; }),
      spoilt([](Kernel& kernel) { first_request(kernel).words = {1}; }),
      spoilt([](Kernel& kernel) {
        first_request(kernel).action = static_cast<simt::TracedRequest::Action>(3);
      }),
      spoilt([](Kernel& kernel) { kernel.blocks[0].number = 2; }),
      spoilt([](Kernel& kernel) { kernel.blocks.resize(17, kernel.blocks[0]); }),
      spoilt([](Kernel& kernel) { kernel.launch.grid[1] = 0; }),
      spoilt([](Kernel& kernel) { kernel.launch.block[0] = 1025; }),
      spoilt([](Kernel& kernel) { kernel.arrays[0].element_bytes = 0; }),
  };
  for (const std::string& text : texts) {
    std::string problem;
    EXPECT_THAT(decode_trace(text, problem).kernels, IsEmpty()) << text;
    EXPECT_NE(problem, "") << text;
  }
}

}  // namespace
}  // namespace tilewise::grading
