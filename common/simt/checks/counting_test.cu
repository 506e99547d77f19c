// Counters beyond those that validation/ compares with a GPU's.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <array>
#include <numeric>
#include <vector>

#include "common/simt/test/testing.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {
namespace {

using ::testing::HasSubstr;

__global__ void copies(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

TEST_F(CheckedBuild, CountsByLine) {
  const DeviceVector<float> in(64), out(64);
  watch({.counters = true});
  copies<<<1, 64>>>(in.data(), out.data());
  const std::vector<KernelProfile> profiles = take_profiles();
  ASSERT_EQ(profiles.size(), 1u);
  EXPECT_EQ(profiles[0].launch.kernel, "copies");
  EXPECT_EQ(profiles[0].blocks, 1u);
  ASSERT_EQ(profiles[0].lines.size(), 1u);
  EXPECT_THAT(profiles[0].lines[0].file, HasSubstr("counting_test.cu"));
  EXPECT_EQ(profiles[0].lines[0].counters.global_load_requests, 2u);
  EXPECT_EQ(profiles[0].lines[0].counters.global_store_sectors, 8u);
}

TEST_F(CheckedBuild, FollowsTheProfilesRules) {
  const DeviceVector<float> in(2048), out(2048);
  const struct {
    const char* gpu;
    std::uint64_t requests, sectors, transactions;
    std::vector<std::uint64_t> partition_bytes;
  } cases[] = {
      {"gtx1080", 64, 256, 0, {}},
      {"gtx280", 128, 256, 128, std::vector<std::uint64_t>(8, 2 * 2048 * sizeof(float) / 8)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.gpu);
    use_device(core::gpu_profile(c.gpu));
    watch({.counters = true});
    copies<<<8, 256>>>(in.data(), out.data());
    const std::vector<KernelProfile> profiles = take_profiles();
    ASSERT_EQ(profiles.size(), 1u);
    EXPECT_EQ(profiles[0].counters.global_load_requests, c.requests);
    EXPECT_EQ(profiles[0].counters.global_load_sectors, c.sectors);
    EXPECT_EQ(profiles[0].counters.global_load_transactions, c.transactions);
    EXPECT_EQ(profiles[0].partition_bytes, c.partition_bytes);
  }
}

// Neighbouring blocks lie far apart: 37 and 100 have no divisor in common.
__global__ void copies_in_leaps(const float* in, float* out) {
  const int i = blockIdx.x * 37 % gridDim.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

class PartitionsByRun : public CheckedBuild {
 protected:
  void SetUp() override {
    CheckedBuild::SetUp();
    use_device(core::gpu_profile("gtx280"));
  }

  /// The only partition that has bytes; none if there are several.
  static int only_partition(const std::array<std::uint64_t, dram_partitions>& bytes) {
    int found = -1;
    for (int i = 0; i < int(bytes.size()); ++i) {
      if (bytes[i] == 0) continue;
      if (found != -1) return -1;
      found = i;
    }
    return found;
  }
};

// Each block has 256 bytes, one turn of a partition; `out` is counted from its last block.
__global__ void copies_backwards(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
  out[j] = in[i];
}

TEST_F(PartitionsByRun, TellBlocksAndLoadsAndStoresApart) {
  constexpr int blocks = 24, threads = 64;
  const DeviceVector<float> in(blocks * threads), out(blocks * threads);
  watch({.counters = true});
  copies_backwards<<<blocks, threads>>>(in.data(), out.data());
  const std::vector<KernelProfile> profiles = take_profiles();
  ASSERT_EQ(profiles.size(), 1u);
  EXPECT_EQ(profiles[0].blocks_a_run, 1u);
  const auto& runs = profiles[0].partitions_by_run;
  ASSERT_EQ(runs.size(), std::size_t(blocks));
  const int in0 = only_partition(runs[0].loads), out0 = only_partition(runs[0].stores);
  ASSERT_GE(in0, 0);
  ASSERT_GE(out0, 0);
  for (int i = 0; i < blocks; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(only_partition(runs[i].loads), (in0 + i) % 8);
    EXPECT_EQ(only_partition(runs[i].stores), (out0 + blocks - i) % 8);
    EXPECT_EQ(runs[i].loads[only_partition(runs[i].loads)], threads * sizeof(float));
  }
}

TEST_F(PartitionsByRun, CountInOrderOfXFirst) {
  constexpr int threads = 64;
  const DeviceVector<float> in(4 * threads), out(4 * threads);
  watch({.counters = true});
  copies_backwards<<<dim3(4, 3), threads>>>(in.data(), out.data());
  const std::vector<KernelProfile> profiles = take_profiles();
  ASSERT_EQ(profiles.size(), 1u);
  const auto& runs = profiles[0].partitions_by_run;
  ASSERT_EQ(runs.size(), 12u);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(only_partition(runs[i].loads), (only_partition(runs[0].loads) + i % 4) % 8) << i;
  }
}

TEST_F(PartitionsByRun, AreJoinedInLargeGrids) {
  constexpr int threads = 64;
  constexpr std::uint64_t blocks = 2 * most_block_runs + 3;  // three to a run; the last has one
  const DeviceVector<float> in(blocks * threads), out(blocks * threads);
  watch({.counters = true});
  copies_backwards<<<unsigned(blocks), threads>>>(in.data(), out.data());
  const std::vector<KernelProfile> profiles = take_profiles();
  ASSERT_EQ(profiles.size(), 1u);
  EXPECT_EQ(profiles[0].blocks_a_run, 3u);
  const auto& runs = profiles[0].partitions_by_run;
  ASSERT_EQ(runs.size(), 343u);
  const auto bytes_of = [](const auto& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t joined = i + 1 < runs.size() ? 3 : 1;
    EXPECT_EQ(bytes_of(runs[i].loads), joined * threads * sizeof(float)) << i;
    EXPECT_EQ(bytes_of(runs[i].stores), joined * threads * sizeof(float)) << i;
  }
}

TEST_F(PartitionsByRun, AreKnownOnlyWhereEveryBlockRuns) {
  constexpr int blocks = 100, threads = 64;
  const DeviceVector<float> in(blocks * threads), out(blocks * threads);
  const auto runs_of = [](auto&& launch) {
    launch();
    const std::vector<KernelProfile> profiles = take_profiles();
    return profiles.empty() ? 0 : profiles[0].partitions_by_run.size();
  };
  watch({.counters = true, .sample = true});
  EXPECT_EQ(runs_of([&] { copies<<<blocks, threads>>>(in.data(), out.data()); }), 0u);
  // No block stands for the others here: all of them run after all.
  EXPECT_EQ(runs_of([&] { copies_in_leaps<<<blocks, threads>>>(in.data(), out.data()); }),
            std::size_t(blocks));
}

template <bool downwards>
__global__ void four_rows_of_four(float* out) {
  __shared__ float tile[4][32];
  for (int i = 0; i < 4; ++i) tile[i][threadIdx.x] = 1;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += tile[threadIdx.x / 8][downwards ? 31 - i : i];
  out[threadIdx.x] = sum;
}

TEST_F(CheckedBuild, MergesSharedLoadsBesideCountingThemAsWritten) {
  const DeviceVector<float> out(32);
  for (const auto kernel : {four_rows_of_four<false>, four_rows_of_four<true>}) {
    watch({.counters = true});
    kernel<<<1, 32>>>(out.data());
    const Counters counters = counters_of_the_launch();
    EXPECT_EQ(counters.shared_load_requests, 32u);
    EXPECT_EQ(counters.shared_load_wavefronts, 4u * 32);  // four rows, all in one bank
    EXPECT_EQ(counters.shared_load_requests_merged, 8u);
    EXPECT_EQ(counters.shared_load_wavefronts_merged, 4u * 8);  // two rows a half-warp
    EXPECT_EQ(counters.shared_bank_conflicts, 3u * 32);
    EXPECT_EQ(counters.barriers, 1u);
  }
}

template <class Element>
__device__ void sum_rows(Element* tile, float* out) {
  for (int i = 0; i < 4; ++i) reinterpret_cast<float*>(tile)[32 * i + threadIdx.x] = 1;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += reinterpret_cast<float*>(tile)[threadIdx.x / 8 * 32 + k];
  out[threadIdx.x] = sum;
}

template <class Element>
__global__ void rows_of_plain_dynamic_memory(float* out) {
  extern __shared__ Element tile[];
  sum_rows(tile, out);
}

template <class Element, int alignment>
__global__ void rows_of_dynamic_memory(float* out) {
  extern __shared__ alignas(alignment) Element tile[];
  sum_rows(tile, out);
}

TEST_F(CheckedBuild, MergesLoadsOfDynamicSharedMemoryAsItIsAligned) {
  const DeviceVector<float> out(32);
  const auto requests = [&](auto kernel) {
    watch({.counters = true});
    kernel<<<1, 32, 4 * 32 * sizeof(float)>>>(out.data());
    return counters_of_the_launch().shared_load_requests_merged;
  };
  EXPECT_EQ(requests(rows_of_dynamic_memory<float, 4>), 32u);
  EXPECT_EQ(requests(rows_of_dynamic_memory<float2, 8>), 16u);
  EXPECT_EQ(requests(rows_of_dynamic_memory<float, 16>), 8u);
  EXPECT_EQ(requests(rows_of_dynamic_memory<unsigned char, 16>), 8u);
  EXPECT_EQ(requests(rows_of_plain_dynamic_memory<float>), 32u);
  EXPECT_EQ(requests(rows_of_plain_dynamic_memory<float4>), 8u);
}

constexpr int results = 3, steps = 4;

// Each product names both of its factors in shared memory.
__global__ void names_factors(float* out) {
  __shared__ float as[steps][results][32], bs[steps][results][32];
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < results; ++i) as[k][i][threadIdx.x] = bs[k][i][threadIdx.x] = 1;
  }
  __syncthreads();
  float sum[results][results] = {};
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < results; ++i) {
      for (int j = 0; j < results; ++j) {
        sum[i][j] += as[k][i][threadIdx.x] * bs[k][j][threadIdx.x];
      }
    }
  }
  for (int i = 0; i < results; ++i) out[threadIdx.x] += sum[i][i] + sum[i][0];
}

__global__ void stores_in_between(float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = 1;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    sum += tile[threadIdx.x];
    tile[threadIdx.x + 32] = sum;
  }
  out[threadIdx.x] = sum;
}

// Both rows are the same for the first warp alone.
__global__ void meets_by_chance(float* out) {
  __shared__ float tile[3][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 3; ++i) tile[i][lane] = 1;
  __syncthreads();
  volatile float* row = tile[warp];
  volatile float* further = tile[2 * warp];
  out[threadIdx.x] = row[lane] + further[lane];
}

TEST_F(CheckedBuild, CountsNoSecondLoadOfWhatAThreadHasInARegister) {
  const DeviceVector<float> out(64);
  const auto merged = [&](auto&& launch) {
    watch({.counters = true});
    launch();
    return counters_of_the_launch().shared_load_requests_merged;
  };
  EXPECT_EQ(merged([&] { names_factors<<<1, 32>>>(out.data()); }), 2u * results * steps);
  EXPECT_EQ(merged([&] { stores_in_between<<<1, 32>>>(out.data()); }), 8u);
  EXPECT_EQ(merged([&] { meets_by_chance<<<1, 64>>>(out.data()); }), 2u * 2);
}

__global__ void shuffles_beside_other_operations(double* out) {
  double value = out[threadIdx.x];
  for (int lane = 0; lane < 5; ++lane) value += __shfl_sync(0xffffffff, value, lane);
  __syncwarp();
  if (__ballot_sync(0xffffffff, value > 0) != 0) out[threadIdx.x] = value;
}

TEST_F(CheckedBuild, CountsShufflesByWarp) {
  DeviceVector<double> out(64);
  watch({.counters = true});
  shuffles_beside_other_operations<<<3, 64>>>(out.data());
  EXPECT_EQ(counters_of_the_launch().shuffles, 3u * 2 * 5);
}

__global__ void all_load_the_first(const float* in, float* out) { out[threadIdx.x] = in[0]; }

TEST_F(CheckedBuild, CountsBytesOfARequestOnceAndOfEachLane) {
  const DeviceVector<float> in(1), out(48);
  watch({.counters = true});
  all_load_the_first<<<1, 48>>>(in.data(), out.data());
  const Counters counters = counters_of_the_launch();
  EXPECT_EQ(counters.global_load_bytes, 2 * sizeof(float)) << "two warps";
  EXPECT_EQ(counters.global_load_lane_bytes, 48 * sizeof(float));
  EXPECT_EQ(counters.global_store_lane_bytes, 48 * sizeof(float));
}

// Some of the host's threads run blocks of one kernel only.
TEST_F(CheckedBuild, KnowsTheSharedMemoryOfEachLaunch) {
  const DeviceVector<float> in(6400), out(6400);
  watch({.counters = true});
  for (int repetition = 0; repetition < 20; ++repetition) {
    four_rows_of_four<false><<<200, 32>>>(out.data());
    copies<<<1, 32>>>(in.data(), out.data());
    four_rows_of_four<false><<<1, 32>>>(out.data());
    const std::vector<KernelProfile> profiles = take_profiles();
    ASSERT_EQ(profiles.size(), 3u);
    EXPECT_EQ(profiles[0].static_shared_bytes, 4u * 32 * sizeof(float));
    EXPECT_EQ(profiles[1].static_shared_bytes, 0u);
    EXPECT_EQ(profiles[2].static_shared_bytes, 4u * 32 * sizeof(float));
  }
}

__device__ float copy_of_in[2][32];
__constant__ float constants[64];

__global__ void adds_atomically(float* values, float* shared_by_all) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&values[2 * threadIdx.x], 1.0f);
  atomicAdd(shared_by_all, 1.0f);
  atomicMax(&count, int(threadIdx.x));
}

TEST_F(CheckedBuild, CountsAtomics) {
  const DeviceVector<float> values(64), shared_by_all(1);
  watch({.counters = true});
  adds_atomically<<<1, 32>>>(values.data(), shared_by_all.data());
  const Counters counted = counters_of_the_launch();
  EXPECT_EQ(counted.atomic_requests, 3u);
  EXPECT_EQ(counted.global_atomic_requests, 2u);
  EXPECT_EQ(counted.global_atomic_sectors, 8u + 1);
  EXPECT_EQ(counted.global_atomic_bytes, 32u * 4 + 4);
  EXPECT_EQ(counted.global_atomic_lane_bytes, 2u * 32 * 4);
  EXPECT_EQ(counted.global_atomic_passes, 1u + 32);
  EXPECT_EQ(counted.shared_atomic_requests, 1u);
  EXPECT_EQ(counted.shared_atomic_wavefronts, 32u);
  EXPECT_EQ(counted.global_load_requests + counted.global_store_requests, 0u);
  EXPECT_EQ(shared_by_all.values(), std::vector<float>{32});
}

// Whatever a compiler makes of an atomic operation is an access.
__global__ void uses_builtins(unsigned* values) {
  unsigned* own = &values[threadIdx.x];
  unsigned seen = __atomic_load_n(own, __ATOMIC_RELAXED);
  seen += __atomic_exchange_n(own, 2, __ATOMIC_RELAXED);
  seen += __atomic_fetch_add(own, 3, __ATOMIC_RELAXED);
  seen += __atomic_fetch_nand(own, 3, __ATOMIC_RELAXED);
  seen += __sync_fetch_and_or(own, 8);
  __atomic_compare_exchange_n(own, &seen, 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  seen += __sync_val_compare_and_swap(own, 1, 2);
  seen += atomicCAS(own, 1u, 2u);
  __atomic_store_n(own, seen, __ATOMIC_RELAXED);
}

TEST_F(CheckedBuild, CountsAtomicsOfTheCompiler) {
  const DeviceVector<unsigned> values(32);
  watch({.counters = true});
  uses_builtins<<<1, 32>>>(values.data());
  const Counters counted = counters_of_the_launch();
  EXPECT_EQ(counted.global_load_requests, 1u);
  EXPECT_EQ(counted.global_store_requests, 1u);
  EXPECT_EQ(counted.global_atomic_requests, 7u);
}

__global__ void uses_variables(const float* in, float* out, int stride) {
  copy_of_in[1][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] =
      copy_of_in[1][31 - threadIdx.x] * constants[7] + constants[threadIdx.x * stride % 64];
}

TEST_F(CheckedBuild, CountsWhatLiesInDeviceVariables) {
  const DeviceVector<float> in(32), out(32);
  for (const int stride : {0, 1}) {
    SCOPED_TRACE(stride);
    watch({.checks = true, .counters = true});
    uses_variables<<<1, 32>>>(in.data(), out.data(), stride);
    EXPECT_THAT(take_findings(), ::testing::IsEmpty());
    const Counters counted = counters_of_the_launch();
    EXPECT_EQ(counted.global_load_requests, 2u);
    EXPECT_EQ(counted.global_load_sectors, 8u);
    EXPECT_EQ(counted.global_store_requests, 2u);
    EXPECT_EQ(counted.global_store_bytes, 2u * 32 * 4);
    EXPECT_EQ(counted.constant_requests, 2u);
    EXPECT_EQ(counted.constant_passes, 1u + (stride == 0 ? 1 : 32));
  }
}

}  // namespace
}  // namespace tilewise::simt
