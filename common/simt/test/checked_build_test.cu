// What the checked build sees, beyond what each check does, the faults of defects/ and the counters
// of validation/.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include "common/simt/test/testing.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {
namespace {

__global__ void sums_rows(const float* A, float* sums, int columns, int ragged) {
  float sum = 0;
  for (int k = 0; k < columns - (ragged != 0 ? int(threadIdx.x) % 3 : 0); ++k) {
    sum += A[threadIdx.x * columns + k];
  }
  sums[threadIdx.x] = sum;
}

__global__ void __launch_bounds__(64) stores_in_two_warps(int* out) { out[threadIdx.x] = 7; }
__global__ void __launch_bounds__(0) stores_in_any(int* out) { out[threadIdx.x] = 7; }
template <int Threads, int Blocks>
__global__ __launch_bounds__(Threads* Blocks, Blocks) void stores_in_some(int* out) {
  out[threadIdx.x] = 7;
}

// As on an H200, which says "invalid argument" and goes on.
TEST_F(CheckedBuild, LaunchesNoBlockThatIsLargerThanItsBounds) {
  const auto run = [](auto kernel, dim3 block, cudaError_t error) {
    SCOPED_TRACE(block.x * block.y);
    const DeviceVector<int> out(128);
    watch({.checks = true});
    kernel<<<2, block>>>(out.data());
    EXPECT_EQ(cudaGetLastError(), error);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out.values()[0], error == cudaSuccess ? 7 : 0);
    take_findings();
  };
  run(stores_in_two_warps, 64, cudaSuccess);
  run(stores_in_two_warps, dim3(16, 4), cudaSuccess);
  run(stores_in_two_warps, 65, cudaErrorInvalidValue);
  run(stores_in_two_warps, dim3(16, 5), cudaErrorInvalidValue);
  run(stores_in_any, 128, cudaSuccess);
  run(stores_in_some<16, 3>, 48, cudaSuccess);
  run(stores_in_some<16, 3>, 49, cudaErrorInvalidValue);
}

// More accesses than a trace holds, between no barriers at all.
TEST_F(CheckedBuild, ReadsTracesThatFillUp) {
  constexpr int columns = 5000, threads = 64;
  const DeviceVector<float> A(std::vector<float>(columns * threads, 1.0f)), sums(threads);
  watch({.checks = true, .counters = true});
  sums_rows<<<1, threads>>>(A.data(), sums.data(), columns, 0);
  const Counters all = counters_of_the_launch();
  EXPECT_EQ(all.global_load_requests, 2u * columns);
  EXPECT_EQ(all.global_load_sectors, 64u * columns);
  EXPECT_EQ(all.divergent_requests, 0u);
  EXPECT_EQ(sums.values(), std::vector<float>(threads, columns));

  sums_rows<<<1, threads>>>(A.data(), sums.data(), columns, 1);
  const Counters ragged = counters_of_the_launch();
  EXPECT_EQ(ragged.global_load_requests, 2u * columns);  // the last two by some lanes only
  EXPECT_EQ(ragged.divergent_requests, 4u);
  EXPECT_THAT(take_findings(), ::testing::IsEmpty());
}

__global__ void notes_its_turn(int* turns, int* next) {
  turns[threadIdx.x] = (*next)++;  // threads run one after another here
}

std::vector<int> turns_of(ThreadOrder order, std::uint64_t seed) {
  const DeviceVector<int> turns(40), next(1);
  watch({.order = order, .seed = seed});
  notes_its_turn<<<1, 40>>>(turns.data(), next.data());
  return turns.values();
}

TEST_F(CheckedBuild, GivesThreadsTheirTurnsInTheOrderAskedFor) {
  std::vector<int> forward(40);
  std::iota(forward.begin(), forward.end(), 0);
  const std::vector<int> reverse(forward.rbegin(), forward.rend());
  EXPECT_EQ(turns_of(ThreadOrder::forward, 0), forward);
  EXPECT_EQ(turns_of(ThreadOrder::reverse, 0), reverse);
  const std::vector<int> shuffled = turns_of(ThreadOrder::shuffled, 7);
  EXPECT_THAT(shuffled, ::testing::UnorderedElementsAreArray(forward));
  EXPECT_NE(shuffled, forward);
  EXPECT_EQ(shuffled, turns_of(ThreadOrder::shuffled, 7));
  EXPECT_NE(shuffled, turns_of(ThreadOrder::shuffled, 8));
}

// Lacks a barrier: each thread reads what its neighbour puts there.
__global__ void reads_its_neighbours(const int* in, int* out, int rounds) {
  __shared__ int shared[96];
  const unsigned i = threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    shared[i] = in[round * blockDim.x + i];
    out[round * blockDim.x + i] = shared[(i + 1) % blockDim.x];
  }
}

TEST_F(CheckedBuild, LetsThreadsMakeOneAccessEachWhereTheyRunInStep) {
  constexpr int threads = 96, rounds = 500;  // more accesses than a trace holds
  std::vector<int> numbers(threads * rounds), neighbours(threads * rounds);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int i = 0; i < threads * rounds; ++i) {
    neighbours[i] = i / threads * threads + (i + 1) % threads;
  }
  const DeviceVector<int> in(numbers), out(numbers.size());
  Counters counted[2];
  for (const bool in_step : {false, true}) {
    watch({.counters = true, .order = in_step ? ThreadOrder::in_step : ThreadOrder::forward});
    reads_its_neighbours<<<1, threads>>>(in.data(), out.data(), rounds);
    counted[in_step] = counters_of_the_launch();
    EXPECT_EQ(out.values() == neighbours, in_step);
  }
  for (const NamedCounter& counter : all_counters) {
    EXPECT_EQ(counted[0].*counter.value, counted[1].*counter.value) << counter.name;
  }
}

__global__ void copies(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

TEST_F(CheckedBuild, SeesNothingUnlessAsked) {
  const DeviceVector<float> in(64);
  copies<<<1, 63>>>(in.data(), in.data() + 1);  // a race
  EXPECT_THAT(take_profiles(), ::testing::IsEmpty());
  EXPECT_THAT(take_findings(), ::testing::IsEmpty());
}

TEST_F(CheckedBuild, ChecksEveryBlockEvenWhereAFewWouldDoForCounting) {
  constexpr unsigned blocks = 100;
  const DeviceVector<float> in(blocks * 32), out(blocks * 32);
  const struct {
    bool checks;
    ::testing::Matcher<std::uint64_t> simulated;
  } cases[] = {{false, ::testing::Lt(blocks)}, {true, ::testing::Eq(blocks)}};
  for (const auto& c : cases) {
    watch({.checks = c.checks, .counters = true, .sample = true});
    copies<<<blocks, 32>>>(in.data(), out.data());
    const std::vector<KernelProfile> profiles = take_profiles();
    ASSERT_EQ(profiles.size(), 1u);
    EXPECT_THAT(profiles[0].simulated_blocks, c.simulated);
    EXPECT_EQ(profiles[0].counters.global_load_requests, blocks);
  }
  EXPECT_THAT(take_findings(), ::testing::IsEmpty());
}

// Too long to be inlined by itself.
__device__ float4 quad_at(const float* in, int first) {
  float4 quad = {};
  for (int i = first; i < first + 32; i += 4) {
    quad.x += in[i] * in[(i + 5) % 32];
    quad.y += in[i + 1] / (1 + in[(i + 6) % 32]);
    quad.z += in[i + 2] * in[(i + 7) % 32] - quad.x;
    quad.w += in[i + 3] / (1 + in[(i + 8) % 32]) - quad.y;
  }
  return quad;
}

__global__ void stores_what_a_function_returns(const float* in, float4* out) {
  __shared__ float4 quads[32];
  quads[threadIdx.x] = quad_at(in, 0);
  __syncthreads();
  out[threadIdx.x] = quads[31 - threadIdx.x];
  out[32 + threadIdx.x] = quad_at(in, 32);
}

TEST_F(CheckedBuild, SeesTheStoreOfAStructureThatAFunctionReturns) {
  const DeviceVector<float> in(64), out(256);
  watch({.checks = true, .counters = true});
  stores_what_a_function_returns<<<1, 32>>>(in.data(), reinterpret_cast<float4*>(out.data()));
  EXPECT_THAT(take_findings(), ::testing::IsEmpty());
  const Counters counters = counters_of_the_launch();
  EXPECT_EQ(counters.global_store_bytes, 2u * 32 * sizeof(float4));
  EXPECT_GT(counters.shared_store_requests, 0u);
}

struct Pair {
  float first, second;
};

__device__ __noinline__ float dot(float4 a, Pair b) {
  return a.x * b.first + a.y * b.second + a.z + a.w;
}

__device__ __noinline__ Pair pair_of(float x) { return {x, 2 * x}; }

__global__ void passes_structures(const float4* in, const Pair* pairs, Pair* out) {
  const unsigned i = threadIdx.x;
  const float sum = dot(in[i], *(pairs + i));
  out[i] = pair_of(sum);
}

TEST_F(CheckedBuild, SeesTheLoadsAndStoresOfStructuresThatCallsPassAndReturn) {
  const DeviceVector<float> in(128), pairs(64), out(64);
  watch({.checks = true, .counters = true});
  passes_structures<<<1, 32>>>(reinterpret_cast<float4*>(in.data()),
                               reinterpret_cast<Pair*>(pairs.data()),
                               reinterpret_cast<Pair*>(out.data()));
  const Counters counters = counters_of_the_launch();
  EXPECT_EQ(counters.global_load_bytes, 32u * (sizeof(float4) + sizeof(Pair)));
  EXPECT_EQ(counters.global_store_bytes, 32u * sizeof(Pair));
}

__constant__ float constants[4];

TEST_F(CheckedBuild, CopiesFromVariablesReachTheHost) {
  float values[4];
  take_bytes_copied_to_host();
  ASSERT_EQ(cudaMemcpyFromSymbol(values, constants, sizeof values), cudaSuccess);
  EXPECT_EQ(take_bytes_copied_to_host(), sizeof values);
}

}  // namespace
}  // namespace tilewise::simt
