#include "common/model/matmul_counts.hpp"

#include <gtest/gtest.h>

#include "common/model/reference_table.hpp"

namespace tilewise::model {
namespace {

// Counts what a launch does block by block, in a naive triple loop.
TEST(MatmulCounts, AreThoseOfALaunchCountedElementByElement) {
  for (const Tiling& tiling : {Tiling{4}, Tiling{4, 2, 1}, Tiling{4, 1, 2}, Tiling{2, 3, 2}}) {
    for (std::uint64_t n : {1, 3, 4, 8, 13, 24}) {
      SCOPED_TRACE(testing::Message() << "tile " << tiling.tile << ", " << tiling.rx << "x"
                                      << tiling.ry << ", n " << n);
      const std::uint64_t tile = tiling.tile;
      const std::uint64_t rows = tile * tiling.ry, cols = tile * tiling.rx;
      std::uint64_t blocks = 0, loads = 0, operations_done = 0;
      for (std::uint64_t row0 = 0; row0 < n; row0 += rows) {
        for (std::uint64_t col0 = 0; col0 < n; col0 += cols) {
          ++blocks;
          for (std::uint64_t k0 = 0; k0 < n; k0 += tile) {
            for (std::uint64_t k = k0; k < k0 + tile; ++k) {
              for (std::uint64_t row = row0; row < row0 + rows; ++row) loads += row < n && k < n;
              for (std::uint64_t col = col0; col < col0 + cols; ++col) loads += col < n && k < n;
            }
            operations_done += 2 * rows * cols * tile;
          }
        }
      }
      EXPECT_EQ(blocks_of_grid(tiling, n), blocks);
      EXPECT_EQ(tiled_accesses(tiling, n).loads, loads);
      EXPECT_EQ(tiled_accesses(tiling, n).stores, n * n);
      EXPECT_EQ(operations(tiling, n), operations_done);
      if (n % rows == 0 && n % cols == 0) {
        EXPECT_DOUBLE_EQ(approximate_accesses(tiling, n), double(loads + n * n));
      }
    }
  }
}

TEST(MatmulCounts, OfTheNaiveKernelGrowWithTheCube) {
  EXPECT_EQ(naive_accesses(0).total(), 0u);
  EXPECT_EQ(naive_accesses(1).total(), 3u);
  EXPECT_EQ(naive_accesses(4096).loads, 137438953472u);
  EXPECT_EQ(naive_accesses(4096).stores, 16777216u);
}

TEST(MatmulCounts, FillABlocksSharedMemory) {
  struct Case {
    Tiling tiling;
    std::size_t bytes;
  };
  const Case cases[] = {
      {{16, 1, 1}, 2048},  {{32, 1, 1}, 8192},
      {{16, 2, 3}, 5120},  {{16, 24, 24}, 49152},  // rx + ry <= 48 for tile 16
      {{32, 6, 6}, 49152},                         // rx + ry <= 12 for tile 32
  };
  for (const Case& c : cases) EXPECT_EQ(shared_bytes_per_block(c.tiling), c.bytes);
}

TEST(MatmulCounts, NameTheOrderThatFillsTheGpu) {
  const core::GpuProfile gpu = core::gpu_profile("gtx1080");  // 20 SMs
  struct Case {
    Tiling tiling;
    int active_blocks;
    std::uint64_t order;
  };
  const Case cases[] = {
      {{16, 1, 1}, 8, 16 * 12 + 1},  // 160 blocks: 13 x 13
      {{16, 2, 3}, 6, 32 * 13 + 1},  // 120 blocks: 14 x 9
      {{32, 4, 4}, 5, 128 * 9 + 1},  // 100 blocks: 10 x 10
  };
  for (const Case& c : cases) {
    const std::uint64_t order = saturating_order(c.tiling, gpu, c.active_blocks);
    EXPECT_EQ(order, c.order);
    EXPECT_GE(blocks_of_grid(c.tiling, order), std::uint64_t(20 * c.active_blocks));
    EXPECT_LT(blocks_of_grid(c.tiling, order - 1), std::uint64_t(20 * c.active_blocks));
  }
}

TEST(MatmulCounts, RoundPartialRequestsAndSectorsUp) {
  EXPECT_EQ(fewest_requests(0), 0u);
  EXPECT_EQ(fewest_requests(32), 1u);
  EXPECT_EQ(fewest_requests(33), 2u);
  EXPECT_EQ(fewest_sectors(8), 1u);
  EXPECT_EQ(fewest_sectors(9), 2u);
}

// nvprof counts 16 load transactions for a request of 32 floats, half a transaction for each float,
// and one store transaction for a 32-byte sector.
TEST(MatmulCounts, AreThoseThatAProfilerMeasured) {
  int rows = 0;
  for (const ReferenceRow& row : reference_table("put2025_gtx1080_rx_ry.csv")) {
    SCOPED_TRACE(row.place());
    const Tiling tiling{row.integer("block"), row.integer("rx"), row.integer("ry")};
    if (tiling.rx * tiling.ry > 64) continue;  // these spill registers, which adds traffic
    ++rows;
    const std::uint64_t n = row.integer("n");
    const double flops = double(operations(tiling, n));
    const double load_transactions = double(tiled_accesses(tiling, n).loads) / 2;
    const double store_transactions = row.number("gst_transactions");
    EXPECT_NEAR(flops / (row.number("flop_count_sp_gflop") * 1e9), 1, 0.01);
    // A warp whose lanes are partly beyond the edge makes a whole request: up to 2% more.
    EXPECT_NEAR(load_transactions / row.number("gld_transactions"), 1, 0.02);
    EXPECT_NEAR(
        flops / (load_transactions + store_transactions) / row.number("cgma_flop_per_access"), 1,
        0.02);
    EXPECT_GE(store_transactions * 1.005, double(fewest_sectors(tiled_accesses(tiling, n).stores)));
    // The formula for large n leaves out the stores, which count most at 8x8 results a thread.
    EXPECT_NEAR(2 * cgma(tiling) / row.number("cgma_flop_per_access"), 1, 0.055);
  }
  EXPECT_EQ(rows, 28);
}

}  // namespace
}  // namespace tilewise::model
