#include "grading/check/device_module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DeviceModule, NamesItsKernelsButNoTemplates) {
  EXPECT_THAT(kernels_in(R"(
extern "C" __global__ void adds(const float* x, float* y) { y[0] = x[0]; }
// __global__ void only_said() {
/* and __global__ void only_said() { * */
__global__ void __launch_bounds__(256, 2) bounded(int n)
{
}
static __global__ void of_the_file() {}
__global__ void declared(int n);
template <int n, class T> __global__ void any(T* x) { x[0] = n; }
__device__ void helps() {}
void host() { adds<<<1, 1>>>(x, y); }
)"),
              ElementsAre("adds", "bounded", "of_the_file"));
}

TEST(DeviceModule, NamesItsVariables) {
  EXPECT_THAT(device_variables_in(R"(
static __constant__ Option options[n];
__device__ real values[4][4] = {{1}};
__device__ int counter = 5;  // __device__ int only_said;
extern __device__ int of_another_file;
__device__ float function(float x);
__device__ float twice(float x) { return 2 * x; }
)"),
              ElementsAre("options", "values", "counter"));
}

TEST(DeviceModule, HasAWayToLaunchEach) {
  const std::string text = ways_into("__global__ void k() {}\n__global__ void l() {}");
  EXPECT_THAT(text, HasSubstr("note_addressed(\"k\", k);"));
  EXPECT_THAT(text, HasSubstr("note_addressed(\"l\", l);"));
}

}  // namespace
}  // namespace tilewise::grading
