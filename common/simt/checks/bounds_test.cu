// Accesses to what a kernel cannot reach, beyond the faults of defects/.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "common/simt/test/testing.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {
namespace {

using ::testing::HasSubstr;

__global__ void reads_far_beyond(const float* in, float* out) { out[0] = in[100]; }

TEST_F(CheckedBuild, TakesWhatIsNotDescribedForOutOfBounds) {
  const DeviceVector<float> in(256), out(1);
  watch({.checks = true});
  reads_far_beyond<<<1, 1>>>(in.data(), out.data());
  EXPECT_THAT(take_findings(), ::testing::IsEmpty());
  describe_buffer(in.data(), {.name = "in", .bytes = 400, .element_bytes = 4, .row_elements = 10});
  reads_far_beyond<<<1, 1>>>(in.data(), out.data());
  const std::vector<Finding> found = take_findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "out-of-bounds");
  EXPECT_THAT(found[0].message, HasSubstr("in[10][0], past the end of in (10 x 10)"));
}

__global__ void reads_at(const float* in, long offset, float* out) { out[0] = in[offset]; }

TEST_F(CheckedBuild, TellsAnIndexFarOffFromAPointerToTheHost) {
  const std::vector<float> of_the_host(1 << 22);  // so large that it lies beside device memory
  constexpr long far_off = -(1L << 30);
  const struct {
    bool is_of_the_host;
    long offset;
    const char* says;
  } cases[] = {{false, far_off, "where no argument of the kernel leads: an index far off does"},
               {true, 5, "which is host memory"}};
  for (const auto& c : cases) {
    const DeviceVector<float> in(256), out(1);
    watch({.checks = true});
    reads_at<<<1, 1>>>(c.is_of_the_host ? of_the_host.data() : in.data(), c.offset, out.data());
    EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
    const Finding found = the_finding();
    EXPECT_EQ(found.kind, "host-pointer");
    EXPECT_THAT(found.message, HasSubstr(c.says));
    cudaDeviceReset();
  }
}

__global__ void writes_its_input(float* in) { in[threadIdx.x + 3] = 1; }

TEST_F(CheckedBuild, TellsOfStoresToInputs) {
  const DeviceVector<float> in(64);
  watch({.checks = true});
  describe_buffer(in.data(), {.name = "in", .bytes = 256, .read_only = true, .element_bytes = 4});
  writes_its_input<<<1, 32>>>(in.data());
  const Finding found = the_finding();
  EXPECT_EQ(found.kind, "read-only");
  EXPECT_THAT(found.message,
              HasSubstr("thread (0, 0, 0) of block (0, 0, 0) writes in[3], but in is an input"));
}

__global__ void leaves_rows(float* out, int columns) {
  __shared__ float tile[4][8];
  for (int i = 0; i < columns; ++i) tile[threadIdx.x % 4][i % 32] = 0;
  if (threadIdx.x == 0) *out = 1;
}

TEST_F(CheckedBuild, EndsAKernelThatIsOnlyCountedOnceItsFaultsAreMany) {
  const std::pair<int, bool> cases[] = {{64, false}, {64, true}, {1 << 20, false}};
  for (const auto& [columns, checks] : cases) {
    const DeviceVector<float> out(std::vector<float>{0});
    watch({.checks = checks, .counters = true});
    leaves_rows<<<1, 32>>>(out.data(), columns);
    EXPECT_EQ(cudaGetLastError() == cudaSuccess, columns == 64);
    const std::vector<Finding> found = take_findings();
    ASSERT_FALSE(found.empty());
    EXPECT_THAT(found[0].message, HasSubstr("tile[0][8] is outside float tile[4][8]"));
  }
}

__global__ void leaves_row_and_array(float* out, int row, int column) {
  __shared__ float tile[4][8];
  for (int i = threadIdx.x; i < 32; i += 16) tile[i / 8][i % 8] = 0;
  __syncthreads();
  out[threadIdx.x] = tile[row][column + threadIdx.x % 2];
}

TEST_F(CheckedBuild, NamesTheElementOfASharedArrayThatIsOutside) {
  const DeviceVector<float> out(16);
  watch({.checks = true});
  const struct {
    int row, column;
    const char* message;
  } cases[] = {{3, 7, "tile[3][8] is outside float tile[4][8] (thread (1, 0, 0)"},
               {4, 0, "tile[4][0] is outside float tile[4][8] (thread (0, 0, 0)"},
               {-1, 2, "tile[-1][2] is outside float tile[4][8] (thread (0, 0, 0)"}};
  for (const auto& c : cases) {
    leaves_row_and_array<<<1, 16>>>(out.data(), c.row, c.column);
    const Finding found = the_finding();
    EXPECT_EQ(found.kind, "out-of-bounds");
    EXPECT_THAT(found.message, HasSubstr(c.message));
  }
}

__global__ void some_lanes_stray(float* out, unsigned from) {
  __shared__ float row[32];
  row[threadIdx.x] = 1;
  out[threadIdx.x + (threadIdx.x >= from ? 1000 : 0)] = row[31 - threadIdx.x];
}

// The lanes beside a stray one are followed as if they were alone: the others' race is found, too.
TEST_F(CheckedBuild, FollowsTheLanesBesideAStrayOne) {
  const DeviceVector<float> out(2000);
  watch({.checks = true});
  describe_buffer(out.data(), {.name = "out", .bytes = 128, .element_bytes = 4});
  some_lanes_stray<<<2, 32>>>(out.data(), 30);
  std::vector<std::string> kinds;
  for (const Finding& found : take_findings()) kinds.push_back(found.kind);
  EXPECT_THAT(kinds, ::testing::UnorderedElementsAre("warp-race", "out-of-bounds"));
}

}  // namespace
}  // namespace tilewise::simt
