#include "common/theory/one_block_more.hpp"

#include <gtest/gtest.h>

#include "common/theory/testing_gpus.hpp"

namespace tilewise::theory {
namespace {

TEST(OneBlockMore, ChangesWhatRanOut) {
  struct Case {
    const char* gpu;
    LaunchNeeds now, changed;
  };
  const Case cases[] = {
      // 7 blocks of 8 warps: 65536 / 7 = 9362 registers a block, so 36 a thread, which a warp gets
      // in pieces of 256: 32.
      {"gtx1080", {256, 40, 4096, {}}, {256, 32, 4096, {}}},
      {"gtx1080", {256, 0, 20000, {}}, {256, 0, 19456, {}}},    // 4 blocks
      {"gtx1080", {576, 32, 0, {}}, {512, 32, 0, {}}},          // warps: 18, so 3 blocks
      {"gtx1080", {1024, 40, 0, {}}, {1024, 32, 0, {}}},        // 1 block by registers
      {"gtx1080", {576, 32, 32768, {}}, {512, 32, 24576, {}}},  // both at once
      {"gtx1080", {256, 32, 0, 20}, {256, 32, 0, 21}},          // the grid
      {"gtx1080", {256, 40, 0, 120}, {256, 32, 0, 121}},        // grid and registers
      {"h200", {1024, 32, 100000, {}}, {672, 32, 76800, {}}},   // 1 KiB a block is CUDA's
      {"gt240", {256, 34, 4140, {}}, {256, 32, 4140, {}}},      // put2014, version 5
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.gpu << ", " << c.now.threads_per_block << " threads");
    const auto changed = for_one_block_more(testing_gpu(c.gpu), c.now);
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->threads_per_block, c.changed.threads_per_block);
    EXPECT_EQ(changed->registers_per_thread, c.changed.registers_per_thread);
    EXPECT_EQ(changed->shared_bytes_per_block, c.changed.shared_bytes_per_block);
    EXPECT_EQ(changed->blocks, c.changed.blocks);
  }
}

TEST(OneBlockMore, IsWhatTheChangeGivesAndLessChangeDoesNot) {
  for (const char* id : {"gt240", "gtx280", "p100", "gtx1080", "7.0", "t4", "a100", "h200"}) {
    const core::GpuProfile gpu = testing_gpu(id);
    for (int threads : {1, 32, 64, 100, 256, 288, 484, 512, 576, 1024}) {
      for (int registers : {0, 10, 32, 33, 64, 124, 255}) {
        for (std::size_t shared : {0, 44, 4096, 4140, 16000, 20000, 49152}) {
          for (const auto& blocks : {std::optional<std::uint64_t>(), {1}, {100}, {1000}}) {
            const LaunchNeeds launch{threads, registers, shared, blocks};
            SCOPED_TRACE(testing::Message() << id << ", " << threads << " threads of " << registers
                                            << " registers, " << shared << " bytes");
            const Occupancy now = occupancy(gpu, launch);
            const auto changed = for_one_block_more(gpu, launch);
            ASSERT_EQ(changed.has_value(),
                      now.cannot_run.empty() && now.active_blocks < gpu.blocks_per_sm);
            if (!changed) continue;
            const auto blocks_with = [&](LaunchNeeds needs) {
              return occupancy(gpu, needs).active_blocks;
            };
            ASSERT_GT(blocks_with(*changed), now.active_blocks);

            LaunchNeeds less = *changed;
            if (changed->threads_per_block < threads) {
              ++less.threads_per_block;
              ASSERT_EQ(blocks_with(less), now.active_blocks);
            }
            if (changed->registers_per_thread < registers) {
              less = *changed;
              ++less.registers_per_thread;
              ASSERT_EQ(blocks_with(less), now.active_blocks);
            }
            if (changed->shared_bytes_per_block < shared) {
              less = *changed;
              ++less.shared_bytes_per_block;
              ASSERT_EQ(blocks_with(less), now.active_blocks);
            }
            if (changed->blocks != blocks) {
              less = *changed;
              --*less.blocks;
              ASSERT_EQ(blocks_with(less), now.active_blocks);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilewise::theory
