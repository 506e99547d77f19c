// Reads of what nothing has written, beyond the faults of defects/.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <vector>

#include "common/simt/test/testing.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

__global__ void reads_one(const double* A, double* out, int row, int col, int lda) {
  out[0] = A[row * lda + col];
}

TEST_F(CheckedBuild, TellsOfReadsAboveTheDiagonal) {
  constexpr int order = 9, lda = 12;
  const DeviceVector<double> A(std::vector<double>(order * lda, 1.0)), out(1);
  watch({.checks = true});
  describe_buffer(A.data(), {.name = "A",
                             .bytes = ((order - 1) * lda + order) * sizeof(double),
                             .read_only = true,
                             .element_bytes = sizeof(double),
                             .row_elements = lda,
                             .lower_triangular = true});
  const struct {
    int row, col;
    const char* message;
  } cases[] = {{0, 0, nullptr},
               {3, 7, "reads A[3][7], above the diagonal"},
               {7, 3, nullptr},
               {0, order - 1, "reads A[0][8], above the diagonal"},
               {3, order, nullptr},  // between the rows
               {order - 1, order - 1, nullptr}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.row * 100 + c.col);
    reads_one<<<1, 1>>>(A.data(), out.data(), c.row, c.col, lda);
    const std::vector<Finding> found = take_findings();
    ASSERT_EQ(found.size(), c.message == nullptr ? 0u : 1u);
    if (c.message == nullptr) continue;
    EXPECT_EQ(found[0].kind, "above-diagonal");
    EXPECT_THAT(found[0].message, HasSubstr(c.message));
  }
}

// The 17th element of each row is never written.
__global__ void pads(float* out, int row, int column) {
  __shared__ float tile[4][17];
  for (int i = threadIdx.x; i < 64; i += 32) tile[i / 16][i % 16] = float(i);
  __syncthreads();
  out[threadIdx.x] = tile[row][column];
}

TEST_F(CheckedBuild, TellsOfTheOneElementOfASharedArrayThatNobodyWrote) {
  const DeviceVector<float> out(32);
  watch({.checks = true});
  pads<<<3, 32>>>(out.data(), 3, 15);
  EXPECT_THAT(take_findings(), IsEmpty());
  pads<<<3, 32>>>(out.data(), 3, 16);
  const Finding found = the_finding();
  EXPECT_EQ(found.kind, "uninitialised");
  EXPECT_THAT(found.message,
              HasSubstr("block (0, 0, 0) reads shared tile[3][16], which no thread has written; the "
                        "array is float tile[4][17], of which 64 elements are written by now, in "
                        "rows 0 to 3 and columns 0 to 15"));
}

__global__ void writes_in_its_first_block(float* out) {
  __shared__ float tile[32];
  if (blockIdx.x == 0) tile[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
}

// Blocks that run one after another find each other's values in a simulator's memory.
TEST_F(CheckedBuild, FindsSharedMemoryUnwrittenInEachBlock) {
  const DeviceVector<float> out(64);
  watch({.checks = true});
  writes_in_its_first_block<<<2, 32>>>(out.data());
  EXPECT_THAT(the_finding().message, HasSubstr("block (1, 0, 0) reads shared tile[0]"));
}

__global__ void reads_parts(int* out, int first) {
  __shared__ short halves[64];
  if (threadIdx.x < 16) halves[4 * threadIdx.x] = halves[4 * threadIdx.x + 2] = 1;
  __syncthreads();
  out[threadIdx.x] = halves[(2 * threadIdx.x + first) % 64];
}

TEST_F(CheckedBuild, KnowsThePartsOfAWordThatAreWritten) {
  const DeviceVector<int> out(32);
  watch({.checks = true});
  reads_parts<<<1, 32>>>(out.data(), 0);
  EXPECT_THAT(take_findings(), IsEmpty());
  reads_parts<<<1, 32>>>(out.data(), 1);
  EXPECT_THAT(the_finding().message, HasSubstr("reads shared halves[1]"));
}

__global__ void reads_before_another_writes(float* out) {
  __shared__ float tile[64];
  out[threadIdx.x] = tile[63 - threadIdx.x];
  tile[threadIdx.x] = 1;
}

// What another thread writes in the same interval is a race, and told as one.
TEST_F(CheckedBuild, LeavesToRacesWhatAnotherThreadWritesAtTheTime) {
  const DeviceVector<float> out(64);
  watch({.checks = true});
  reads_before_another_writes<<<1, 64>>>(out.data());
  EXPECT_EQ(the_finding().kind, "race");
}

/// Element 0 is written by the block `writer` after its read, where it reads it.
__global__ void reads_and_then_writes(float* values, float* out, unsigned reader, unsigned writer) {
  if (blockIdx.x == reader) out[0] = values[0];
  if (blockIdx.x == writer) values[0] = 1;
}

TEST_F(CheckedBuild, TellsOfDeviceMemoryThatTheReadersBlockAloneWrites) {
  watch({.checks = true});
  const struct {
    unsigned reader, writer;
    const char* kind;
  } cases[] = {{0, 5, "uninitialised"}, {0, 0, "uninitialised"}, {0, 1, "race"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.writer);
    float *values = nullptr, *out = nullptr;
    ASSERT_EQ(cudaMalloc(&values, 4), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&out, 4), cudaSuccess);
    reads_and_then_writes<<<2, 1>>>(values, out, c.reader, c.writer);
    EXPECT_EQ(the_finding().kind, c.kind);
    cudaFree(values);
    cudaFree(out);
  }
}

// What is copied from memory without values has none.
struct NumberAndLetter {  // padding behind the letter
  float number;
  char letter;
};
struct __align__(16) Extremum {
  double value;
  int place;
};
struct Sample {  // a word of padding before the sum
  int counts[7];
  double sum;
};

template <class T>
__device__ void copy_by_shared_memory(const T* in, T* out) {
  __shared__ T copies[32];
  const int i = threadIdx.x;
  copies[i] = in[i];
  __syncthreads();
  out[31 - i] = copies[i];
}

__global__ void fills_members(NumberAndLetter* letters, Extremum* extrema, Sample* samples,
                              int counts) {
  const int i = threadIdx.x;
  letters[i].number = 1;
  letters[i].letter = 'a';
  extrema[i].value = 2;
  extrema[i].place = i;
  for (int k = 0; k < counts; ++k) samples[i].counts[k] = k;
  samples[i].sum = 3;
}

__global__ void fills_first(float2* pairs) { pairs[threadIdx.x].x = 1; }

template <class T>
__global__ void moves(const T* in, T* out) {
  copy_by_shared_memory(in, out);
}

/// 32 values in device memory that nothing has written.
template <class T>
class Unwritten {
 public:
  Unwritten() { EXPECT_EQ(cudaMalloc(&data_, 32 * sizeof(T)), cudaSuccess); }
  ~Unwritten() { cudaFree(data_); }
  Unwritten(const Unwritten&) = delete;
  Unwritten& operator=(const Unwritten&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

template <class T>
std::vector<Finding> found_where_moved(const Unwritten<T>& values) {
  const Unwritten<T> moved;
  moves<<<1, 32>>>(static_cast<const T*>(values.data()), moved.data());
  return take_findings();
}

TEST_F(CheckedBuild, PaddingIsNoMember) {
  watch({.checks = true});
  const Unwritten<NumberAndLetter> letters;
  const Unwritten<Extremum> extrema;
  const Unwritten<Sample> samples;
  fills_members<<<1, 32>>>(letters.data(), extrema.data(), samples.data(), 7);
  EXPECT_THAT(found_where_moved(letters), IsEmpty());
  EXPECT_THAT(found_where_moved(extrema), IsEmpty());
  EXPECT_THAT(found_where_moved(samples), IsEmpty());
}

TEST_F(CheckedBuild, AMemberThatNobodyWroteIsNoPadding) {
  watch({.checks = true});
  const Unwritten<NumberAndLetter> letters;
  const Unwritten<Extremum> extrema;
  const Unwritten<Sample> samples;
  const Unwritten<float2> pairs;
  fills_members<<<1, 32>>>(letters.data(), extrema.data(), samples.data(), 4);
  fills_first<<<1, 32>>>(pairs.data());
  EXPECT_THAT(found_where_moved(samples), Not(IsEmpty()));
  EXPECT_THAT(found_where_moved(pairs), Not(IsEmpty()));
}

TEST_F(CheckedBuild, FollowsCopiesOnTheDevice) {
  watch({.checks = true});
  float *from = nullptr, *to = nullptr;
  const float values[2] = {1, 2};
  ASSERT_EQ(cudaMalloc(&from, 4 * sizeof *from), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&to, 4 * sizeof *to), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(from, values, sizeof values, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(to, from, 4 * sizeof *to, cudaMemcpyDeviceToDevice), cudaSuccess);
  const DeviceVector<float> out(4);
  for (const int at : {1, 2}) {
    reads_and_then_writes<<<1, 1>>>(to + at, out.data(), 0, 5);
    EXPECT_EQ(take_findings().size(), at == 1 ? 0u : 1u) << at;
  }
  cudaFree(from);
  cudaFree(to);
}

}  // namespace
}  // namespace tilewise::simt
