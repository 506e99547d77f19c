// Barriers of a block: who waits for whom, and what is said when somebody never comes.

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

class Barriers : public SimtTest {};

// Every thread publishes, waits, then reads its mirror image: right only if all came first.
__global__ void mirror(const int* in, int* out) {
  extern __shared__ int values[];
  const unsigned last = blockDim.x - 1;
  values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[last - threadIdx.x];
}

TEST_F(Barriers, MakeEveryThreadsWritesVisibleToTheBlock) {
  for (const unsigned threads : {1u, 2u, 31u, 32u, 33u, 100u, 1024u}) {
    for (const unsigned blocks : {1u, 3u, 40u}) {
      std::vector<int> in(threads * blocks);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7);
      DeviceVector<int> device_in(in), device_out(in.size());
      mirror<<<blocks, threads, threads * sizeof(int)>>>(device_in.data(), device_out.data());
      ASSERT_EQ(cudaGetLastError(), cudaSuccess);
      const std::vector<int> out = device_out.values();
      for (unsigned block = 0; block < blocks; ++block) {
        for (unsigned i = 0; i < threads; ++i) {
          ASSERT_EQ(out[block * threads + i], in[block * threads + threads - 1 - i]);
        }
      }
    }
  }
}

// A sum by halving: as many barriers as it takes, with fewer threads at work each time.
__global__ void sum_by_halving(const int* in, int* out) {
  __shared__ int partial[256];
  partial[threadIdx.x] = in[threadIdx.x];
  for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) partial[threadIdx.x] += partial[threadIdx.x + width];
  }
  if (threadIdx.x == 0) *out = partial[0];
}

TEST_F(Barriers, SeparateTheStepsOfALoop) {
  std::vector<int> in(256);
  int expected = 0;
  for (int i = 0; i < 256; ++i) expected += in[static_cast<std::size_t>(i)] = i * i;
  DeviceVector<int> device_in(in), out(1);
  sum_by_halving<<<1, 256>>>(device_in.data(), out.data());
  EXPECT_EQ(out.values()[0], expected);
}

__global__ void some_return_early(int survivors, int* out) {
  if (static_cast<int>(threadIdx.x) >= survivors) return;
  for (int round = 0; round < 3; ++round) __syncthreads();
  out[threadIdx.x] = 1;
}

TEST_F(Barriers, DoNotWaitForThreadsThatReturned) {
  for (const int survivors : {1, 31, 32, 33, 63, 64}) {
    DeviceVector<int> out(64);
    some_return_early<<<1, 64>>>(survivors, out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    int written = 0;
    for (const int value : out.values()) written += value;
    EXPECT_EQ(written, survivors);
  }
  EXPECT_THAT(take_findings(), ::testing::IsEmpty());
}

__global__ void last_one_returns(int* out) {
  if (threadIdx.x == 0) {
    __syncthreads();
    out[0] = 1;
  }
}

TEST_F(Barriers, OpenWhenTheThreadsStillMissingReturn) {
  DeviceVector<int> out(1);
  last_one_returns<<<1, 32>>>(out.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out.values()[0], 1);
}

__global__ void votes(const int* in, int* counts, int* ands, int* ors) {
  const int mine = in[threadIdx.x];
  counts[threadIdx.x] = __syncthreads_count(mine);
  ands[threadIdx.x] = __syncthreads_and(mine);
  ors[threadIdx.x] = __syncthreads_or(mine);
}

TEST_F(Barriers, CountVotes) {
  struct Case {
    int true_threads;
    int count, all, any;
  };
  for (const Case c :
       {Case{0, 0, 0, 0}, Case{1, 1, 0, 1}, Case{47, 47, 0, 1}, Case{48, 48, 1, 1}}) {
    std::vector<int> in(48, 0);
    for (int i = 0; i < c.true_threads; ++i) in[static_cast<std::size_t>(47 - i)] = 5 + i;
    DeviceVector<int> device_in(in), counts(48), ands(48), ors(48);
    votes<<<1, 48>>>(device_in.data(), counts.data(), ands.data(), ors.data());
    EXPECT_THAT(counts.values(), Each(c.count));
    EXPECT_THAT(ands.values(), Each(c.all));
    EXPECT_THAT(ors.values(), Each(c.any));
  }
}

__global__ void each_half_its_own_barrier() {
  if (threadIdx.x < 16) {
    __syncthreads();  // line A
  } else {
    __syncthreads();  // line B
  }
}
constexpr int line_a = __LINE__ - 5, line_b = __LINE__ - 3;

TEST_F(Barriers, ReportBothLinesWhereABlockDivides) {
  each_half_its_own_barrier<<<2, 32>>>();
  const Finding found = the_fatal_finding("barrier");
  EXPECT_THAT(found.message, HasSubstr("thread (16, 0, 0)"));
  EXPECT_THAT(found.message, HasSubstr("thread (0, 0, 0) waits"));
  EXPECT_THAT(found.message, HasSubstr("on line " + std::to_string(line_a)));
  EXPECT_THAT(found.message, HasSubstr("on line " + std::to_string(line_b)));
  EXPECT_EQ(found.line, line_b);
  EXPECT_THAT(found.file, HasSubstr("barriers_test.cu"));
}

__global__ void warp_waits_for_lanes_at_the_block_barrier() {
  if (threadIdx.x < 8) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

TEST_F(Barriers, ReportADeadlockInsteadOfHanging) {
  warp_waits_for_lanes_at_the_block_barrier<<<1, 32>>>();
  const Finding found = the_fatal_finding("deadlock");
  EXPECT_THAT(found.message, HasSubstr("thread (0, 0, 0) waits at __syncthreads()"));
  EXPECT_THAT(found.message, HasSubstr("thread (8, 0, 0) waits at __syncwarp()"));
}

__global__ void divides_inside_a_frame(int* out) {
  volatile int frame[50];
  frame[threadIdx.x] = 0;
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  *out = frame[threadIdx.x];
}

__global__ void fills_a_frame(int* out) {
  volatile int frame[200];
  for (volatile int& element : frame) element = 1;
  __syncthreads();
  out[threadIdx.x] = frame[threadIdx.x];
}

TEST_F(Barriers, LeaveNothingBehindWhenABlockWasBrokenOff) {
  divides_inside_a_frame<<<200, 32>>>(nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  cudaDeviceReset();
  DeviceVector<int> out(64);
  fills_a_frame<<<1, 64>>>(out.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(out.values(), Each(1));
}

}  // namespace
}  // namespace tilewise::simt
