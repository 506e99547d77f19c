#include "common/model/occupancy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/model/reference_table.hpp"
#include "common/model/testing_gpus.hpp"

namespace tilewise::model {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// One cell of the table contradicts itself: version 4b with 8x8 threads has 16 blocks by shared
// memory, but sixteen times its 1,068 bytes are 17,088, and the card has 16,384. Version 5 takes
// the same bytes, and its cell is 10.
bool is_misprint(const ReferenceRow& row, const std::string& column) {
  return row.text("version") == "4b" && row.integer("block") == 8 &&
         column == "limit_blocks_by_shared";
}

TEST(Occupancy, IsThatOfEveryCellPublishedForAGt240) {
  const core::GpuProfile gt240 = core::gpu_profile("gt240");
  int cells = 0;
  for (const ReferenceRow& row : reference_table("put2014_gt240_occupancy.csv")) {
    LaunchNeeds launch;
    launch.threads_per_block = row.integer("threads_per_block");
    launch.registers_per_thread = row.integer("registers_per_thread");
    launch.shared_bytes_per_block = row.integer("shared_bytes_per_block");
    if (row.text("version") == "1") launch.blocks = 1;  // one block walks over all result tiles
    const Occupancy result = occupancy(gt240, launch);
    EXPECT_EQ(result.cannot_run, "") << row.place();

    const int edge = row.integer("block");
    const struct {
      const char* column;
      double value;
    } values[] = {
        {"active_blocks", double(result.active_blocks)},
        {"active_warps", double(result.active_warps)},
        {"active_threads", double(result.active_threads)},
        {"occupancy_pct", result.percent},
        {"threads_per_block", double(edge * edge)},
        {"warps_per_block", double(result.warps_per_block)},
        {"limit_blocks_by_warps", double(result.limit_by_warps)},
        {"registers_per_block", double(result.registers_per_block)},
        {"limit_blocks_by_registers", double(result.limit_by_registers)},
        {"limit_blocks_by_shared", double(result.limit_by_shared)},
    };
    for (const auto& [column, value] : values) {
      if (row.text(column).empty() || is_misprint(row, column)) continue;
      EXPECT_EQ(value, row.number(column)) << row.place() << ", " << column;
      ++cells;
    }
  }
  EXPECT_EQ(cells, 15 * 10 - 3 * 3 - 1) << "15 rows, version 1 without limits, one misprint";
}

TEST(Occupancy, IsThatOfNvidiasCalculator) {
  struct Case {
    const char* gpu;
    int threads, registers;
    std::size_t shared;
    int by_warps, by_registers, by_shared;
    int blocks;
    double percent;
    std::vector<std::string> limited_by;
  };
  // cuda_occupancy.h of CUDA 13.0 agrees on all but gtx280 (occupancy_nvidia_test.cpp).
  const Case cases[] = {
      {"gtx280", 128, 16, 1000, 8, 8, 16, 8, 100, {"warps", "blocks", "registers"}},
      {"gtx280", 96, 16, 0, 10, 8, unlimited, 8, 75, {"blocks", "registers"}},
      // On 6.0 a warp's registers lie in one half of the file, later in a quarter.
      {"p100", 288, 112, 0, 7, 2, unlimited, 2, 28.125, {"registers"}},
      {"p100", 1024, 64, 49152, 2, 1, 1, 1, 50, {"registers", "shared memory"}},
      {"gtx1080", 288, 112, 0, 7, 1, unlimited, 1, 14.0625, {"registers"}},
      {"gtx1080", 256, 32, 2048, 8, 8, 48, 8, 100, {"warps", "registers"}},
      {"gtx1080", 256, 33, 3072, 8, 6, 32, 6, 75, {"registers"}},
      // Kernels of put2025 that spill have all 255 registers; it measured 12.5%.
      {"gtx1080", 256, 255, 32768, 8, 1, 3, 1, 12.5, {"registers"}},
      {"7.0", 64, 24, 6000, 32, 42, 16, 16, 50, {"shared memory"}},
      {"t4", 32, 16, 0, 32, 128, unlimited, 16, 50, {"blocks"}},
      {"t4", 1024, 64, 65536, 1, 1, 1, 1, 100, {"warps", "registers", "shared memory"}},
      {"a100", 256, 40, 0, 8, 6, 164, 6, 75, {"registers"}},
      {"a100", 1024, 32, 166912, 2, 2, 1, 1, 50, {"shared memory"}},
      {"8.6", 256, 32, 16384, 6, 8, 5, 5, 83.0 + 1.0 / 3, {"shared memory"}},
      {"8.9", 64, 32, 0, 24, 32, 100, 24, 100, {"warps", "blocks"}},
      {"h200", 1024, 32, 8192, 2, 2, 25, 2, 100, {"warps", "registers"}},
      {"h200", 128, 168, 232448, 16, 3, 1, 1, 6.25, {"shared memory"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.gpu) + ", " + std::to_string(c.threads) + " threads");
    const Occupancy result = occupancy(testing_gpu(c.gpu), {c.threads, c.registers, c.shared, {}});
    EXPECT_EQ(result.cannot_run, "");
    EXPECT_EQ(result.limit_by_warps, c.by_warps);
    EXPECT_EQ(result.limit_by_registers, c.by_registers);
    EXPECT_EQ(result.limit_by_shared, c.by_shared);
    EXPECT_EQ(result.active_blocks, c.blocks);
    EXPECT_DOUBLE_EQ(result.percent, c.percent);
    EXPECT_EQ(result.limited_by, c.limited_by);
  }
}

TEST(Occupancy, OfASmallGridIsThatOfTheFullestSm) {
  const core::GpuProfile gpu = core::gpu_profile("gtx1080");  // 20 SMs
  struct Case {
    std::uint64_t blocks;
    int active_blocks;
    std::vector<std::string> limited_by;
  };
  const Case cases[] = {
      {1, 1, {"the grid's size"}},      {20, 1, {"the grid's size"}},
      {21, 2, {"the grid's size"}},     {160, 8, {"warps", "registers", "the grid's size"}},
      {161, 8, {"warps", "registers"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.blocks);
    const Occupancy result = occupancy(gpu, {256, 32, 2048, c.blocks});
    EXPECT_EQ(result.active_blocks, c.active_blocks);
    EXPECT_EQ(result.active_warps, 8 * c.active_blocks);
    EXPECT_EQ(result.limited_by, c.limited_by);
  }
}

TEST(Occupancy, SaysWhyALaunchCannotRun) {
  struct Case {
    const char* gpu;
    int threads, registers;
    std::size_t shared;
    const char* reason;
  };
  const Case cases[] = {
      {"gtx1080", 1056, 32, 0, "a block of 1056 threads: NVIDIA GeForce GTX 1080 takes 1 to 1024"},
      {"gt240", 576, 10, 0, "takes 1 to 512"},
      {"gtx1080", 0, 32, 0, "a block of 0 threads"},
      {"gtx1080", 32, 256, 0, "256 registers a thread: NVIDIA GeForce GTX 1080 has at most 255"},
      // 5x6 results a thread at tile 32 in put2025.
      {"gtx1080", 1024, 80, 45056, "1024 threads of 80 registers take more than the 65536"},
      {"gtx1080", 1024, 80, 45056,
       "__launch_bounds__(1024) on the kernel the compiler keeps to 64"},
      {"gt240", 512, 40, 0, "the compiler keeps to 32"},
      // Nine warps fit in the two halves of its register file, but not in four quarters.
      {"p100", 257, 171, 0, "the compiler keeps to 168"},
      {"gtx1080", 256, 32, 49153, "49153 bytes of shared memory a block"},
      {"a100", 256, 32, 166913, "has at most 166912"},
  };
  for (const Case& c : cases) {
    const Occupancy result =
        occupancy(core::gpu_profile(c.gpu), {c.threads, c.registers, c.shared, {}});
    EXPECT_THAT(result.cannot_run, HasSubstr(c.reason));
    EXPECT_EQ(result.active_blocks, 0) << c.reason;
    EXPECT_EQ(result.percent, 0) << c.reason;
    EXPECT_THAT(result.limited_by, IsEmpty()) << c.reason;
  }
}

TEST(Occupancy, OfAnUnknownComputeCapabilityIsAnError) {
  EXPECT_THAT([] { occupancy(testing_gpu("3.5"), {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("compute capability 3.5")));
}

}  // namespace
namespace {

TEST(OneBlockMore, ChangesWhatRanOut) {
  struct Case {
    const char* gpu;
    LaunchNeeds now, changed;
  };
  const Case cases[] = {
      // 7 blocks of 8 warps: 65536 / 7 = 9362 registers a block, so 36 a thread. A warp gets its
      // registers in pieces of 256, which leaves 32 a thread.
      {"gtx1080", {256, 40, 4096, {}}, {256, 32, 4096, {}}},
      {"gtx1080", {256, 0, 20000, {}}, {256, 0, 19456, {}}},    // 4 blocks
      {"gtx1080", {576, 32, 0, {}}, {512, 32, 0, {}}},          // warps: 18, so 3 blocks
      {"gtx1080", {1024, 40, 0, {}}, {1024, 32, 0, {}}},        // 1 block by registers
      {"gtx1080", {576, 32, 32768, {}}, {512, 32, 24576, {}}},  // both at once
      {"gtx1080", {256, 32, 0, 20}, {256, 32, 0, 21}},          // the grid
      {"gtx1080", {256, 40, 0, 120}, {256, 32, 0, 121}},        // grid and registers
      {"h200", {1024, 32, 100000, {}}, {672, 32, 76800, {}}},   // CUDA takes 1 KiB a block
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
}  // namespace tilewise::model
