#include "grading/profile/memory_use.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tilewise::grading
