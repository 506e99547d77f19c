// An object that a kernel reads or writes whole is as many requests as its type's alignment makes
// of it on a GPU, however the source says it and whichever compiler reads it.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <ostream>
#include <vector>

#include "common/simt/watch.hpp"
#include "testing.hpp"

namespace tilewise::simt {
namespace {

struct __align__(16) Four {
  float values[4];
};
struct __align__(16) Mixed {
  double number;
  char letter;
};
struct __align__(8) Pair {
  float x, y;
};
struct Loose {  // aligned to 4 bytes
  float x, y;
};
struct ThreeWords {
  float x, y, z;
};

template <class T>
__global__ void copies(const T* in, T* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

template <class T>
__global__ void copies_by_way_of_a_variable(const T* in, T* out) {
  const T value = in[threadIdx.x];
  out[threadIdx.x] = value;
}

template <class T>
__global__ void copies_by_way_of_shared_memory(const T* in, T* out) {
  __shared__ T values[32];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void adds_elements(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  const float sum = v.x + v.y + v.z + v.w;
  out[threadIdx.x] = make_float4(sum, sum, sum, sum);
}

__global__ void uses_one_element(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = make_float4(v.x, 0, 0, 1);
}

__global__ void fills_by_elements(const float4* in, float4* out) {
  float4 v = in[threadIdx.x];
  v.x += 1;
  v.w = v.y;
  out[threadIdx.x] = v;
}

__global__ void guards_its_load(const float4* in, float4* out) {
  out[threadIdx.x] = threadIdx.x < 32 ? in[threadIdx.x] : make_float4(0, 0, 0, 0);
}

__global__ void keeps_vectors_in_registers(const float4* in, float4* out) {
  float4 kept[2];
  for (int i = 0; i < 1; ++i) kept[i] = in[threadIdx.x + 32 * i];
  kept[0].z = 7;
  for (int i = 0; i < 1; ++i) out[threadIdx.x + 32 * i] = kept[i];
}

__global__ void casts_pointers(const float4* in, float4* out) {
  const float* floats = &in[0].x;
  float* results = &out[0].x;
  *reinterpret_cast<float4*>(results + 4 * threadIdx.x) =
      *reinterpret_cast<const float4*>(floats + 4 * threadIdx.x);
}

__device__ float4 twice(const float4& v) { return {2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w}; }
__global__ void calls_a_function(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = twice(v);
}

__global__ void assigns_a_list(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = {v.w, v.z, v.y, v.x};
}

__global__ void assigns_an_object(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = float4{v.w, v.z, v.y, v.x};
}

__global__ void assigns_a_constant_object(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  if (v.x != 0) out[threadIdx.x] = float4{0, 1, 2, 3};
}

__global__ void assigns_an_aligned_object(const Four* in, Four* out) {
  const Four v = in[threadIdx.x];
  *(out + threadIdx.x) = Four{{v.values[3], v.values[2], v.values[1], v.values[0]}};
}

__global__ void assigns_one_of_two(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  float4* to = out + threadIdx.x;
  *to = v.x == 0 ? v : float4{v.y, 0, 0, 1};
}

// Element by element in the source, too.
__global__ void writes_elements(const float4* in, float4* out) {
  float4& v = out[threadIdx.x];
  v.x = in[threadIdx.x].x;
  v.w = in[threadIdx.x].w;
}

struct Case {
  const char* name;
  void (*launch)(const void* in, void* out);
  std::uint64_t requests;  ///< as many loads as stores
  std::uint64_t sectors;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

template <class T, void (*kernel)(const T*, T*)>
void launch(const void* in, void* out) {
  kernel<<<1, 32>>>(static_cast<const T*>(in), static_cast<T*>(out));
}

const Case cases[] = {
    {"float4", launch<float4, copies<float4>>, 1, 16},
    {"float2", launch<float2, copies<float2>>, 1, 8},
    {"double2", launch<double2, copies<double2>>, 1, 16},
    {"int4", launch<int4, copies<int4>>, 1, 16},
    {"longlong2", launch<longlong2, copies<longlong2>>, 1, 16},
    {"short4", launch<short4, copies<short4>>, 1, 8},
    {"char4", launch<char4, copies<char4>>, 1, 4},
    {"uchar2", launch<uchar2, copies<uchar2>>, 1, 2},
    {"aligned_array", launch<Four, copies<Four>>, 1, 16},
    {"aligned_mixture", launch<Mixed, copies<Mixed>>, 1, 16},
    {"aligned_pair", launch<Pair, copies<Pair>>, 1, 8},
    {"float3", launch<float3, copies<float3>>, 3, 36},
    {"loose_pair", launch<Loose, copies<Loose>>, 2, 16},
    {"three_words", launch<ThreeWords, copies<ThreeWords>>, 3, 36},
    {"variable_float4", launch<float4, copies_by_way_of_a_variable<float4>>, 1, 16},
    {"variable_aligned_array", launch<Four, copies_by_way_of_a_variable<Four>>, 1, 16},
    {"variable_loose_pair", launch<Loose, copies_by_way_of_a_variable<Loose>>, 2, 16},
    {"shared_float4", launch<float4, copies_by_way_of_shared_memory<float4>>, 1, 16},
    {"shared_float2", launch<float2, copies_by_way_of_shared_memory<float2>>, 1, 8},
    {"adds_elements", launch<float4, adds_elements>, 1, 16},
    {"uses_one_element", launch<float4, uses_one_element>, 1, 16},
    {"fills_by_elements", launch<float4, fills_by_elements>, 1, 16},
    {"guards_its_load", launch<float4, guards_its_load>, 1, 16},
    {"keeps_vectors_in_registers", launch<float4, keeps_vectors_in_registers>, 1, 16},
    {"casts_pointers", launch<float4, casts_pointers>, 1, 16},
    {"calls_a_function", launch<float4, calls_a_function>, 1, 16},
    {"assigns_a_list", launch<float4, assigns_a_list>, 1, 16},
    {"assigns_an_object", launch<float4, assigns_an_object>, 1, 16},
    {"assigns_a_constant_object", launch<float4, assigns_a_constant_object>, 1, 16},
    {"assigns_an_aligned_object", launch<Four, assigns_an_aligned_object>, 1, 16},
    {"assigns_one_of_two", launch<float4, assigns_one_of_two>, 1, 16},
    {"writes_elements", launch<float4, writes_elements>, 2, 32},
};

class VectorAccesses : public SimtTest, public ::testing::WithParamInterface<Case> {};

TEST_P(VectorAccesses, AreCountedAsAGpuMakesThem) {
  const DeviceVector<float> in(std::vector<float>(32 * 4, 1.0f)), out(32 * 4);
  take_profiles();
  watch({.checks = true, .counters = true});
  GetParam().launch(in.data(), out.data());
  watch({});
  EXPECT_THAT(take_findings(), ::testing::IsEmpty());
  const std::vector<KernelProfile> profiles = take_profiles();
  ASSERT_EQ(profiles.size(), 1u);
  const Counters& counters = profiles[0].counters;
  EXPECT_EQ(counters.global_load_requests, GetParam().requests);
  EXPECT_EQ(counters.global_load_sectors, GetParam().sectors);
  EXPECT_EQ(counters.global_store_requests, GetParam().requests);
  EXPECT_EQ(counters.global_store_sectors, GetParam().sectors);
  if (counters.shared_load_requests != 0) {
    EXPECT_EQ(counters.shared_load_requests, GetParam().requests);
    EXPECT_EQ(counters.shared_store_requests, GetParam().requests);
  }
}

INSTANTIATE_TEST_SUITE_P(Styles, VectorAccesses, ::testing::ValuesIn(cases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tilewise::simt
