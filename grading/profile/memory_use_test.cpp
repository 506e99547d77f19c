#include "grading/profile/memory_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>

namespace tilewise::grading {
namespace {

simt::Counters loads(std::uint64_t requests, std::uint64_t sectors, std::uint64_t bytes) {
  simt::Counters counters;
  counters.global_load_requests = requests;
  counters.global_load_sectors = sectors;
  counters.global_load_bytes = bytes;
  return counters;
}

TEST(MemoryUse, TellsHowWellRequestsAreServed) {
  const struct {
    const char* what;
    simt::Counters counters;
    double efficiency_pct, sectors_per_request;
    std::uint64_t fewest, scattered;
  } cases[] = {
      {"nothing", loads(0, 0, 0), 100, 0, 0, 0},
      {"32 neighbours", loads(10, 40, 1280), 100, 4, 40, 0},
      {"one float for all lanes", loads(10, 10, 40), 12.5, 1, 10, 0},
      {"32 floats far apart", loads(10, 320, 1280), 12.5, 32, 40, 280},
      {"32 neighbours that begin inside of a sector", loads(10, 50, 1280), 80, 5, 40, 10},
      {"32 times 16 bytes", loads(10, 160, 5120), 100, 16, 160, 0},
  };
  for (const auto& expected : cases) {
    EXPECT_EQ(efficiency_pct(expected.counters, global_loads), expected.efficiency_pct)
        << expected.what;
    EXPECT_EQ(sectors_per_request(expected.counters, global_loads), expected.sectors_per_request)
        << expected.what;
    EXPECT_EQ(fewest_sectors(expected.counters, global_loads), expected.fewest) << expected.what;
    EXPECT_EQ(scattered_sectors(expected.counters, global_loads), expected.scattered)
        << expected.what;
  }
}

TEST(MemoryUse, KeepsLoadsAndStoresApart) {
  const simt::Counters counters = loads(10, 320, 1280);
  EXPECT_EQ(efficiency_pct(counters, global_stores), 100);
  EXPECT_EQ(scattered_sectors(counters, global_stores), 0u);
}

TEST(MemoryUse, TakesAtomicsForLoadsAndStores) {
  KernelProfile profile;
  profile.counters = loads(10, 40, 1280);
  profile.counters.global_atomic_requests = 3;
  profile.counters.global_atomic_sectors = 12;
  profile.counters.global_atomic_bytes = 384;
  profile.counters.shared_atomic_requests = 2;
  profile.counters.shared_atomic_wavefronts = 64;
  profile.lines = {{"a.cu", 5, profile.counters}};
  const KernelProfile all = with_atomics_as_accesses({profile}).front();
  for (const simt::Counters& counters : {all.counters, all.lines.front().counters}) {
    EXPECT_EQ(counters.global_load_requests, 13u);
    EXPECT_EQ(counters.global_load_sectors, 52u);
    EXPECT_EQ(counters.global_load_bytes, 1664u);
    EXPECT_EQ(counters.global_store_requests, 3u);
    EXPECT_EQ(counters.global_store_sectors, 12u);
    EXPECT_EQ(counters.global_store_bytes, 384u);
    EXPECT_EQ(counters.shared_load_requests, 2u);
    EXPECT_EQ(counters.shared_load_wavefronts, 64u);
    EXPECT_EQ(counters.shared_load_wavefronts_merged, 64u);
    EXPECT_EQ(counters.shared_store_wavefronts, 64u);
  }
}

TEST(MemoryUse, AddsUpLaunchesAndTheirLines) {
  KernelProfile first, second;
  first.counters = loads(3, 12, 384);
  first.lines = {{"a.cu", 5, loads(1, 4, 128)}, {"a.cu", 7, loads(2, 8, 256)}};
  second.counters = loads(10, 40, 1280);
  second.lines = {{"a.cu", 7, loads(10, 40, 1280)}};
  const MemoryUse use = add_up({first, second});
  EXPECT_EQ(use.total.global_load_requests, 13u);
  EXPECT_EQ(use.total.global_load_bytes, 1664u);
  ASSERT_EQ(use.lines.size(), 2u);
  EXPECT_EQ(use.lines[0].line, 5);
  EXPECT_EQ(use.lines[0].counters.global_load_requests, 1u);
  EXPECT_EQ(use.lines[1].line, 7);
  EXPECT_EQ(use.lines[1].counters.global_load_requests, 12u);
}

TEST(MemoryUse, IsToldByKernelInTheOrderOfTheirFirstLaunches) {
  const auto launch = [](const char* kernel, std::size_t fixed, std::size_t dynamic,
                         std::uint64_t requests) {
    KernelProfile profile;
    profile.launch.kernel = kernel;
    profile.launch.dynamic_shared_bytes = dynamic;
    profile.static_shared_bytes = fixed;
    profile.counters = loads(requests, requests, 128 * requests);
    profile.lines = {{"a.cu", 5, profile.counters}};
    return profile;
  };
  const std::vector<KernelUse> kernels =
      by_kernel({launch("solve", 0, 0, 1), launch("update", 4096, 0, 2), launch("solve", 0, 512, 3),
                 launch("solve", 256, 0, 4)});
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "solve");
  EXPECT_EQ(kernels[0].launches, 3);
  EXPECT_EQ(kernels[0].largest_shared_bytes, 512u);
  EXPECT_EQ(kernels[0].use.total.global_load_requests, 8u);
  ASSERT_EQ(kernels[0].use.lines.size(), 1u);
  EXPECT_EQ(kernels[0].use.lines[0].counters.global_load_requests, 8u);
  EXPECT_EQ(kernels[1].kernel, "update");
  EXPECT_EQ(kernels[1].launches, 1);
  EXPECT_EQ(kernels[1].largest_shared_bytes, 4096u);
  EXPECT_TRUE(by_kernel({}).empty());
}

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

const core::GpuProfile gtx280 = core::gpu_profile("gtx280");

/// A matrix and the tiles in which blocks transpose it. All sides are in elements.
struct Tiling {
  int rows, cols;
  int tile_rows = 32, tile_cols = 32;
  int threads = 256;

  int down() const { return rows / tile_rows; }
  int across() const { return cols / tile_cols; }
};

struct Tile {
  int row, col;  ///< counted in tiles
};

using Order = std::function<Tile(int number, const Tiling&)>;

Tile by_rows(int number, const Tiling& t) { return {number / t.across(), number % t.across()}; }
Tile by_columns(int number, const Tiling& t) { return {number % t.down(), number / t.down()}; }

Tile along_diagonals(int number, const Tiling& t) {
  const int row = number % t.down();
  return {row, (number / t.down() + row) % t.across()};
}

Tile along_rising_diagonals(int number, const Tiling& t) {
  const int col = number % t.across();
  return {(number / t.across() + t.down() - col % t.down()) % t.down(), col};
}

/// Goes row by row, and begins each row one tile further on.
Tile by_shifted_rows(int number, const Tiling& t) {
  const int row = number / t.across();
  return {row, (number + row) % t.across()};
}

/// Goes along diagonals from one corner to the other. The diagonals do not wrap around at an edge.
Tile in_waves(int number, const Tiling& t) {
  for (int wave = 0;; ++wave) {
    for (int row = 0; row <= wave && row < t.down(); ++row) {
      if (wave - row < t.across() && number-- == 0) return {row, wave - row};
    }
  }
}

/// Adds the bytes of a tile whose rows begin at column `col` of a matrix with `pitch` columns.
void move_tile(std::array<std::uint64_t, simt::dram_partitions>& bytes, int row, int col, int rows,
               int cols, int pitch) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; j += 16) {  // one access of a half-warp
      bytes[(std::uint64_t(row + i) * pitch + col + j) * 4 / 256 % bytes.size()] += 16 * 4;
    }
  }
}

/// Returns the profile of a transpose in which block b has the tiles b, b + blocks, b + 2 * blocks,
/// ...
KernelProfile transposed(const Tiling& t, const Order& order, int blocks) {
  KernelProfile kernel;
  kernel.launch.block = {unsigned(t.threads), 1, 1};
  kernel.static_shared_bytes = std::size_t(t.tile_rows) * (t.tile_cols + 1) * sizeof(float);
  kernel.blocks = blocks;
  kernel.blocks_a_run = (blocks + simt::most_block_runs - 1) / simt::most_block_runs;
  kernel.partitions_by_run.resize((blocks + kernel.blocks_a_run - 1) / kernel.blocks_a_run);
  for (int i = 0; i < t.down() * t.across(); ++i) {
    const Tile tile = order(i, t);
    const int row = tile.row * t.tile_rows, col = tile.col * t.tile_cols;
    simt::PartitionBytes& run = kernel.partitions_by_run[i % blocks / kernel.blocks_a_run];
    move_tile(run.loads, row, col, t.tile_rows, t.tile_cols, t.cols);
    move_tile(run.stores, col, row, t.tile_cols, t.tile_rows, t.rows);
  }
  return kernel;
}

KernelProfile transposed(const Tiling& t, const Order& order) {
  return transposed(t, order, t.down() * t.across());
}

TEST(PartitionSpread, IsEvenAlongDiagonalsOfAnyKind) {
  const struct {
    const char* what;
    Order order;
  } orders[] = {
      {"falling", along_diagonals}, {"rising", along_rising_diagonals}, {"in waves", in_waves}};
  for (const auto& [what, order] : orders) {
    for (const Tiling& t : {Tiling{1024, 1024}, Tiling{1536, 1024}, Tiling{1024, 1536},
                            Tiling{1024, 1024, 32, 32, 512}, Tiling{1024, 1024, 16, 16},
                            Tiling{1024, 1536, 16, 16, 64}, Tiling{1024, 1024, 64, 32},
                            Tiling{1024, 1536, 32, 64, 128}, Tiling{1024, 1024, 8, 8, 64}}) {
      SCOPED_TRACE(testing::Message() << what << ' ' << t.rows << " x " << t.cols << ", tiles of "
                                      << t.tile_rows << " x " << t.tile_cols);
      const auto spread = spread_over_partitions(transposed(t, order), gtx280);
      ASSERT_TRUE(spread);
      EXPECT_THAT(spread->loads.busy, AllOf(Ge(4.5), Le(8.0)));
      EXPECT_THAT(spread->stores.busy, AllOf(Ge(4.5), Le(8.0)));
    }
  }
}

TEST(PartitionSpread, IsPoorOnOneSideWhereTilesAreTakenByRowsOrColumns) {
  const struct {
    const char* what;
    Order order;
    PartitionUse PartitionSpread::*poor;
    PartitionUse PartitionSpread::*even;
  } orders[] = {
      {"rows", by_rows, &PartitionSpread::stores, &PartitionSpread::loads},
      {"columns", by_columns, &PartitionSpread::loads, &PartitionSpread::stores},
      {"shifted rows", by_shifted_rows, &PartitionSpread::stores, &PartitionSpread::loads},
  };
  for (const auto& [what, order, poor, even] : orders) {
    for (const Tiling& t : {Tiling{1024, 1024}, Tiling{1536, 1024}, Tiling{1024, 1536},
                            Tiling{1024, 1024, 32, 32, 512}, Tiling{1024, 1024, 16, 16},
                            Tiling{1024, 1536, 16, 16, 64}, Tiling{1024, 1024, 64, 32},
                            Tiling{1024, 1536, 32, 64, 128}, Tiling{1024, 1024, 8, 8, 64}}) {
      SCOPED_TRACE(testing::Message() << what << ' ' << t.rows << " x " << t.cols << ", tiles of "
                                      << t.tile_rows << " x " << t.tile_cols);
      const auto spread = spread_over_partitions(transposed(t, order), gtx280);
      ASSERT_TRUE(spread);
      EXPECT_THAT((*spread.*poor).busy, AllOf(Ge(1.0), Le(2.0)));
      EXPECT_THAT((*spread.*even).busy, AllOf(Ge(6.0), Le(8.0)));
    }
  }
}

TEST(PartitionSpread, TellsOfTheWorstGroup) {
  // Each of 30 SMs holds 3 blocks. These 90 blocks have two rows of 32 tiles and a part of a third;
  // a tile is 128 bytes wide.
  const auto spread = spread_over_partitions(transposed({1024, 1024}, by_rows), gtx280);
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->blocks_at_a_time, 90u);
  EXPECT_EQ(spread->stores.first_block, 0u);
  EXPECT_THAT(spread->stores.partitions, ElementsAre(0, 1));
  EXPECT_EQ(spread->stores.busiest, 0);
  EXPECT_NEAR(spread->stores.busiest_share, 64.0 / 90, 1e-9);
}

TEST(PartitionSpread, LooksAtGroupsInTheOrderOfBlocks) {
  KernelProfile kernel;
  kernel.launch.block = {512, 1, 1};  // two blocks on each SM
  kernel.static_shared_bytes = 4096;
  kernel.blocks = 130;
  kernel.partitions_by_run.assign(60, {.loads = {8, 8, 8, 8, 8, 8, 8, 8}, .stores = {}});
  kernel.partitions_by_run.resize(120, {.loads = {0, 0, 0, 32, 32, 0, 0, 0}, .stores = {}});
  kernel.partitions_by_run.resize(130, {.loads = {64}, .stores = {}});  // fills no group
  const auto spread = spread_over_partitions(kernel, gtx280);
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->blocks_at_a_time, 60u);
  EXPECT_DOUBLE_EQ(spread->loads.busy, 128.0 / (8 + 32));
  EXPECT_EQ(spread->loads.first_block, 60u);
  EXPECT_THAT(spread->loads.partitions, ElementsAre(3, 4));
  EXPECT_EQ(spread->stores.busy, 8) << "nothing is stored";
  EXPECT_THAT(spread->stores.partitions, ElementsAre());
}

TEST(PartitionSpread, IsNotJudgedWhereTheGpuHoldsAllBlocks) {
  for (const int blocks : {24, 90}) {
    const auto spread = spread_over_partitions(transposed({1024, 1024}, by_rows, blocks), gtx280);
    ASSERT_TRUE(spread) << blocks;
    EXPECT_GE(spread->loads.busy, 6) << blocks;
    EXPECT_GE(spread->stores.busy, 6) << blocks;
  }
}

TEST(PartitionSpread, IsUnknownWithoutRunsOrRoomForABlock) {
  KernelProfile kernel = transposed({512, 512}, along_diagonals);
  kernel.launch.block = {1024, 1, 1};
  EXPECT_FALSE(spread_over_partitions(kernel, gtx280));
  kernel = transposed({512, 512}, along_diagonals);
  kernel.partitions_by_run.clear();
  EXPECT_FALSE(spread_over_partitions(kernel, gtx280));
}

TEST(PartitionSpread, SurvivesForgedNumbers) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;
  KernelProfile kernel = transposed({1024, 1024}, along_diagonals);
  for (simt::PartitionBytes& run : kernel.partitions_by_run) run.loads.fill(most);
  for (const std::uint64_t number : {std::uint64_t{1}, most}) {
    kernel.blocks = number;
    kernel.blocks_a_run = number;
    const auto spread = spread_over_partitions(kernel, gtx280);
    ASSERT_TRUE(spread);
    EXPECT_DOUBLE_EQ(spread->loads.busy, 8);
  }
}

}  // namespace
}  // namespace tilewise::grading
