// What labs/include/tilewise/ptx.hpp does on the simulator: the elements that each lane has, what is
// counted, and what is found.
#include "labs/include/tilewise/ptx.hpp"

#include <cuda_fp16.h>

#include <vector>

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Ptx : public CheckedBuild {
 protected:
  void SetUp() override {
    CheckedBuild::SetUp();
    use_device(core::gpu_profile("h200"));
    watch({.checks = true, .counters = true});
  }
};

// A: (m, k), B: (k, 8), D: (m, 8), row-major. Lanes fetch their elements as PTX's manual has them.

__global__ void multiply_halves(const __half* A, const __half* B, float* D) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const auto pair = [](__half low, __half high) {
    return __half_as_ushort(low) | static_cast<unsigned>(__half_as_ushort(high)) << 16;
  };
  unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i) {
    const int row = g + i % 2 * 8, k = 2 * t + i / 2 * 8;
    a[i] = pair(A[row * 16 + k], A[row * 16 + k + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    const int k = 2 * t + 8 * i;
    b[i] = pair(B[k * 8 + g], B[(k + 1) * 8 + g]);
  }
  float d[4] = {1, 1, 1, 1};
  ptx::mma_m16n8k16(d, a, b);
  for (int i = 0; i < 4; ++i) D[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

__global__ void multiply_tf32(const float* A, const float* B, float* D) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = ptx::to_tf32(A[(g + i % 2 * 8) * 8 + t + i / 2 * 4]);
  for (int i = 0; i < 2; ++i) b[i] = ptx::to_tf32(B[(t + 4 * i) * 8 + g]);
  float d[4] = {1, 1, 1, 1};
  ptx::mma_m16n8k8_tf32(d, a, b);
  for (int i = 0; i < 4; ++i) D[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

__global__ void multiply_doubles_by_four(const double* A, const double* B, double* D) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  double d[4] = {1, 1, 1, 1};
  const double a[2] = {A[g * 4 + t], A[(g + 8) * 4 + t]};
  ptx::mma_m16n8k4_f64(d, a, B[t * 8 + g]);
  for (int i = 0; i < 4; ++i) D[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

template <int k>
__global__ void multiply_doubles(const double* A, const double* B, double* D) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  double d[4] = {1, 1, 1, 1}, b[k / 4];
  for (int i = 0; i < k / 4; ++i) b[i] = B[(t + 4 * i) * 8 + g];
  if constexpr (k == 4) {
    double upper[2] = {1, 1}, lower[2] = {1, 1};
    ptx::mma_m8n8k4_f64(upper, A[g * k + t], b[0]);
    ptx::mma_m8n8k4_f64(lower, A[(g + 8) * k + t], b[0]);
    for (int i = 0; i < 2; ++i) d[i] = upper[i], d[i + 2] = lower[i];
  } else {
    double a[k / 2];
    for (int i = 0; i < k / 2; ++i) a[i] = A[(g + i % 2 * 8) * k + t + i / 2 * 4];
    if constexpr (k == 8) {
      ptx::mma_m16n8k8_f64(d, a, b);
    } else {
      ptx::mma_m16n8k16_f64(d, a, b);
    }
  }
  for (int i = 0; i < 4; ++i) D[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

/// Small whole numbers, whose products and sums no type rounds.
template <class T, class Sum>
void expect_product(void (*kernel)(const T*, const T*, Sum*), int k) {
  std::vector<T> A(16 * k), B(k * 8);
  for (int i = 0; i < 16 * k; ++i) A[i] = T(static_cast<float>(i * 7 % 11 - 5));
  for (int i = 0; i < k * 8; ++i) B[i] = T(static_cast<float>(i * 5 % 7 - 3));
  DeviceVector<T> a(A), b(B);
  DeviceVector<Sum> d(16 * 8);
  kernel<<<1, 32>>>(a.data(), b.data(), d.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<Sum> got = d.values();
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 8; ++col) {
      float expected = 1;
      for (int i = 0; i < k; ++i) {
        expected += static_cast<float>(A[row * k + i]) * static_cast<float>(B[i * 8 + col]);
      }
      ASSERT_EQ(static_cast<float>(got[row * 8 + col]), expected) << row << ", " << col;
    }
  }
}

TEST_F(Ptx, LanesHaveTheElementsOfTheManual) {
  expect_product<__half, float>(multiply_halves, 16);
  EXPECT_EQ(counters_of_the_launch().tensor_half_products, 16u * 8 * 16);
  expect_product<float, float>(multiply_tf32, 8);
  EXPECT_EQ(counters_of_the_launch().tensor_tf32_products, 16u * 8 * 8);
  expect_product<double, double>(multiply_doubles<4>, 4);
  EXPECT_EQ(counters_of_the_launch().tensor_instructions, 2u);
  expect_product<double, double>(multiply_doubles_by_four, 4);
  expect_product<double, double>(multiply_doubles<8>, 8);
  expect_product<double, double>(multiply_doubles<16>, 16);
  take_profiles();
  EXPECT_THAT(take_findings(), IsEmpty());
}

/// Four matrices of 8 x 8 whose rows lie `stride` elements apart; element e of them is e.
template <bool transposed, int stride>
__global__ void load_matrices(unsigned* words) {
  __shared__ __align__(16) unsigned short elements[32][stride];
  for (int col = 0; col < 8; ++col) elements[threadIdx.x][col] = threadIdx.x * 8 + col;
  __syncwarp();
  unsigned r[4], two[2];
  if (transposed) {
    ptx::ldmatrix_x4_trans(r, elements[threadIdx.x]);
    ptx::ldmatrix_x2_trans(two, threadIdx.x < 16 ? elements[threadIdx.x] : nullptr);
  } else {
    ptx::ldmatrix_x4(r, elements[threadIdx.x]);
    ptx::ldmatrix_x2(two, threadIdx.x < 16 ? elements[threadIdx.x] : nullptr);
  }
  for (int i = 0; i < 4; ++i) words[threadIdx.x * 6 + i] = r[i];
  for (int i = 0; i < 2; ++i) words[threadIdx.x * 6 + 4 + i] = two[i];
}

TEST_F(Ptx, MatricesAreHandedRound) {
  for (const bool transposed : {false, true}) {
    DeviceVector<unsigned> words(32 * 6);
    const auto kernel = transposed ? load_matrices<true, 8> : load_matrices<false, 8>;
    kernel<<<1, 32>>>(words.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<unsigned> got = words.values();
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < 6; ++i) {
        const unsigned matrix = i % 4, g = lane / 4, t = lane % 4;
        const unsigned low = transposed ? 2 * t * 8 + g : g * 8 + 2 * t;
        const unsigned high = low + (transposed ? 8 : 1);
        ASSERT_EQ(got[lane * 6 + i], (matrix * 64 + low) | (matrix * 64 + high) << 16)
            << lane << ", " << i << (transposed ? ", transposed" : "");
      }
    }
    EXPECT_THAT(take_findings(), IsEmpty());
  }
}

TEST_F(Ptx, BankConflictsOfMatricesAreCounted) {
  DeviceVector<unsigned> words(32 * 6);
  // Rows of 16 bytes side by side: eight of them are a wavefront. Rows 128 bytes apart all begin at
  // bank 0: one is.
  load_matrices<false, 8><<<1, 32>>>(words.data());
  EXPECT_EQ(counters_of_the_launch().shared_load_wavefronts, 4u + 2);
  load_matrices<false, 64><<<1, 32>>>(words.data());
  EXPECT_EQ(counters_of_the_launch().shared_load_wavefronts, 32u + 16);
}

/// 16 bytes of which the last come from nowhere.
__global__ void copy_the_end(const float* in, float* out, int n) {
  __shared__ __align__(16) float tile[4 * 32];
  const int first = 4 * threadIdx.x, left = n - first;
  const int bytes = left >= 4 ? 16 : left > 0 ? left * 4 : 0;
  ptx::cp_async<16>(&tile[first], in + first, bytes);
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  for (int i = 0; i < 4; ++i) out[first + i] = tile[first + i];
}

TEST_F(Ptx, WhatIsNotThereIsNotRead) {
  for (const int n : {128, 127, 126, 125, 5, 1}) {
    DeviceVector<float> in(std::vector<float>(n, 2.0f)), out(128);
    copy_the_end<<<1, 32>>>(in.data(), out.data(), n);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_THAT(take_findings(), IsEmpty()) << n;
    const std::vector<float> got = out.values();
    for (int i = 0; i < 128; ++i) ASSERT_EQ(got[i], i < n ? 2.0f : 0.0f) << n << ", " << i;
  }
}

__global__ void reads_too_much(const float* in, float* out) {
  __shared__ __align__(16) float tile[4];
  ptx::cp_async<16>(tile, in, 12);
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  out[0] = tile[3];
}

TEST_F(Ptx, WhatIsReadBeyondTheEndIsFound) {
  DeviceVector<float> in(2), out(1);
  reads_too_much<<<1, 1>>>(in.data(), out.data());
  cudaDeviceSynchronize();
  EXPECT_EQ(the_finding().kind, "out-of-bounds");
}

__global__ void multiplies_with_half_a_warp(float* out) {
  float d[4] = {};
  const unsigned a[4] = {}, b[2] = {};
  if (threadIdx.x < 16) ptx::mma_m16n8k16(d, a, b);
  out[threadIdx.x] = d[0];
}

TEST_F(Ptx, AWarpMultipliesAsAWhole) {
  DeviceVector<float> out(32);
  multiplies_with_half_a_warp<<<1, 32>>>(out.data());
  cudaDeviceSynchronize();
  EXPECT_THAT(the_finding().message, HasSubstr("mma.sync"));
}

}  // namespace
}  // namespace tilewise::simt
