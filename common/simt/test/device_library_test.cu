// What kernels call beside the language: numbers, warps, groups, products of a warp.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <mma.h>

#include <climits>
#include <cmath>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;
using ::testing::Each;
using ::testing::HasSubstr;

// Integers and conversions. Expected: CUDA Math API and PTX ISA, worked out by hand.

TEST(Integers, AreWhatCudaSays) {
  const std::pair<unsigned long long, unsigned long long> cases[] = {
      {__byte_perm(0x33221100, 0x77665544, 0x7531), 0x77553311},
      {__byte_perm(0x00008000, 0, 0x9999), 0xffffffff},
      {__funnelshift_l(0x80000000, 1, 1), 3},
      {__funnelshift_r(2, 1, 1), 0x80000001},
      {__funnelshift_l(5, 6, 32), 6},
      {__funnelshift_lc(5, 6, 32), 5},
      {__funnelshift_rc(5, 6, 40), 6},
      {__brevll(1), 1ull << 63},
      {__umul64hi(~0ull, 2), 1},
      {static_cast<unsigned long long>(__mul64hi(-1, 2)), ~0ull},
      {static_cast<unsigned>(__hadd(INT_MAX, INT_MAX)), INT_MAX},
      {static_cast<unsigned>(__hadd(-3, 0)), static_cast<unsigned>(-2)},
      {static_cast<unsigned>(__rhadd(-3, 0)), static_cast<unsigned>(-1)},
      {__urhadd(0xffffffff, 0xfffffffe), 0xffffffff},
      {__sad(-5, 7, 1), 13},
      {__usad(3, 10, 1), 8},
      {__fns(0b10110, 0, 2), 2},
      {__fns(0b10110, 4, -1), 4},
      {__fns(0b10110, 5, 1), ~0u},
      {static_cast<unsigned>(__dp4a(0x01ff02fe, 0x01010101, 10)), 10},
      {__dp4a(0x01ff02feu, 0x01010101u, 10u), 10 + 1 + 255 + 2 + 254},
      {static_cast<unsigned>(__dp2a_lo(0x0002ffff, 0x00000301, 0)), 5},
      {static_cast<unsigned>(__dp2a_hi(0x0002ffff, 0x03010000, 0)), 5},
      {__vadd4(0xff01807f, 0x01010101), 0x00028180},
      {__vaddss4(0xff01807f, 0x01018001), 0x0002807f},
      {__vaddus2(0xffff0001, 0x00010001), 0xffff0002},
      {__vsubus4(0x01020304, 0x02020202), 0x00000102},
      {__vabs2(0xffff8000), 0x00018000},
      {__vabsss2(0xffff8000), 0x00017fff},
      {__vnegss4(0x80017fff), 0x7fff8101},
      {__vabsdiffu4(0x00ff0103, 0xff000301), 0xffff0202},
      {__vabsdiffs2(0xffff0001, 0x00010001), 0x00020000},
      {__vavgs2(0xfffd0003, 0x00000000), 0xfffe0002},
      {__vavgu4(0xff000102, 0xfe010101), 0xff010102},
      {__vhaddu2(0xffff0003, 0xffff0000), 0xffff0001},
      {__vcmpgts4(0x01ff0100, 0x00000100), 0xff000000},
      {__vcmpgtu4(0x01ff0100, 0x00000100), 0xffff0000},
      {__vseteq2(0x00010002, 0x00010003), 0x00010000},
      {__vmaxs4(0xff01ff01, 0x0002fe00), 0x0002ff01},
      {__vminu2(0xffff0001, 0x00010002), 0x00010001},
      {__vsadu4(0x01020304, 0x04030201), 8},
      {static_cast<unsigned>(__vimax3_s32(-1, 5, 3)), 5},
      {static_cast<unsigned>(__viaddmax_s32_relu(-9, 2, -1)), 0},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(cases[i].first, cases[i].second) << "case " << i;
  }
}

TEST(Conversions, RoundAndEndAtTheLastInteger) {
  const std::pair<long long, long long> cases[] = {
      {__float2int_rn(2.5f), 2},
      {__float2int_rz(-2.5f), -2},
      {__float2int_rd(-2.5f), -3},
      {__float2int_ru(2.1f), 3},
      {__float2int_rz(3e9f), INT_MAX},
      {__float2int_rz(-3e9f), INT_MIN},
      {__float2int_rz(NAN), 0},
      {__float2uint_rz(-1.0f), 0},
      {__float2uint_rz(5e9f), UINT_MAX},
      {__float2ll_rz(NAN), LLONG_MIN},
      {__float2ll_rz(1e19f), LLONG_MAX},
      {__double2int_rn(2147483647.6), INT_MAX},
      {__double2int_rz(NAN), INT_MIN},
      {__double2uint_ru(3.1), 4},
      {static_cast<long long>(__double2ull_rz(1e20)), -1},
      {__double2ll_rd(-0.5), -1},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(cases[i].first, cases[i].second) << "case " << i;
  }
  EXPECT_EQ(__int2float_rz(16777217), 16777216.0f);
  EXPECT_EQ(__int2float_ru(16777217), 16777218.0f);
  EXPECT_EQ(__int2float_rd(-16777217), -16777218.0f);
  EXPECT_EQ(__uint2float_rz(UINT_MAX), 4294967040.0f);
  EXPECT_EQ(__ll2double_ru((1ll << 53) + 1), 0x1p53 + 2);
  EXPECT_EQ(__ull2float_rd(~0ull), 0x1.fffffep63f);
  EXPECT_EQ(__double2float_rz(1e300), 0x1.fffffep127f);
  EXPECT_EQ(__double2float_ru(1 + 0x1p-40), 1 + 0x1p-23f);
}

/// Values of Abramowitz and Stegun's tables, and what follows from the definitions.
TEST(Mathematics, IsAsExactAsDoubles) {
  const std::pair<double, double> cases[] = {
      {erfinv(0.5), 0.47693627620446987},
      {erfinv(-0.999), -2.3267537655135246},
      {erfinv(1e-10), 8.862269254527581e-11},
      {erfinv(1.0), INFINITY},
      {erfcinv(1e-10), 4.572824967389486},
      {erfcinv(1.5), -0.47693627620446987},
      {erfcx(0.0), 1.0},
      {erfcx(10.0), 0.05614099274382259},
      {erfcx(100.0), 0.005641613782989433},
      {normcdf(0.0), 0.5},
      {normcdf(-1.959963984540054), 0.025},
      {normcdfinv(0.975), 1.959963984540054},
      {sinpi(0.5), 1.0},
      {sinpi(1e15 + 0.5), 1.0},
      {sinpi(1.25), -0.7071067811865476},
      {cospi(0.5), 0.0},
      {cospi(1.0 / 3), 0.5},
      {cyl_bessel_i0(1.0), 1.2660658777520082},
      {cyl_bessel_i1(2.0), 1.5906368546373288},
      {rcbrt(8.0), 0.5},
      {rhypot(3.0, 4.0), 0.2},
      {norm3d(1e200, 2e200, 2e200), 3e200},
      {rnorm4d(1.0, 1.0, 1.0, 1.0), 0.5},
      {exp10(3.0), 1000.0},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const auto [value, expected] = cases[i];
    if (std::isinf(expected)) {
      EXPECT_EQ(value, expected) << "case " << i;
    } else {
      EXPECT_NEAR(value, expected, 4e-15 * std::fabs(expected)) << "case " << i;
    }
  }
  EXPECT_TRUE(std::isnan(erfinv(1.5)));
  EXPECT_EQ(normcdff(0.0f), 0.5f);
  EXPECT_EQ(sinpif(1.0f), 0.0f);
  EXPECT_EQ(rsqrtf(4.0f), 0.5f);
}

// Warps.

class DeviceLibrary : public SimtTest {};

__global__ void match(unsigned* any, unsigned* all, int* same, unsigned* reduced) {
  const unsigned lane = threadIdx.x % 32;
  any[threadIdx.x] = __match_any_sync(0xffffffffu, threadIdx.x / 16 * 0.5);
  all[threadIdx.x] = __match_all_sync(0xffffffffu, threadIdx.x / 32, &same[threadIdx.x]);
  reduced[0] = __reduce_add_sync(0xffffffffu, lane);
  reduced[1] = __reduce_max_sync(0xffffffffu, lane * 3);
  reduced[2] = __reduce_or_sync(0xffffffffu, 1u << lane % 5);
  reduced[3] = __reduce_xor_sync(0xffffffffu, lane);
  reduced[4] = static_cast<unsigned>(__reduce_min_sync(0xffffffffu, static_cast<int>(lane) - 7));
  reduced[5] = __reduce_min_sync(0xffffffffu, lane - 7);
  reduced[6] = __reduce_and_sync(0xffffffffu, lane | 64);
  if (lane < 4) reduced[7] = static_cast<unsigned>(__reduce_add_sync(0xfu, -2));
}

TEST_F(DeviceLibrary, WarpsMatchAndReduce) {
  DeviceVector<unsigned> any(64), all(64), reduced(8);
  DeviceVector<int> same(64);
  match<<<1, 64>>>(any.data(), all.data(), same.data(), reduced.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(any.values()[3], 0x0000ffffu);
  EXPECT_EQ(any.values()[48], 0xffff0000u);
  EXPECT_THAT(all.values(), Each(0xffffffffu));
  EXPECT_THAT(same.values(), Each(1));
  const std::vector<unsigned> expected = {
      496, 93, 31, 0, static_cast<unsigned>(-7), 0, 64, static_cast<unsigned>(-8)};
  EXPECT_EQ(reduced.values(), expected);
}

// Groups.

struct Pair {
  double key;
  int value, rest;
};

__global__ void use_groups(int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int mine = static_cast<int>(block.thread_rank());
  int* const of_thread = out + mine * 12;
  of_thread[0] = cg::reduce(tile, mine, cg::plus<int>());
  of_thread[1] = cg::inclusive_scan(tile, 1);
  of_thread[2] = cg::exclusive_scan(tile, mine, cg::greater<int>());
  of_thread[3] = tile.shfl(Pair{0.5, mine, 0}, 3).value;
  if (mine % 3 == 0) {
    const auto together = cg::labeled_partition(cg::tiled_partition<32>(block), mine % 2);
    of_thread[4] = static_cast<int>(together.size());
  } else {
    cg::labeled_partition(cg::tiled_partition<32>(block), mine % 2);
  }
  const auto parts = cg::binary_partition(tile, mine % 4 == 0);
  of_thread[5] = cg::reduce(parts, 1, cg::plus<int>());
  of_thread[6] = static_cast<int>(parts.thread_rank());
  of_thread[7] = static_cast<int>(parts.ballot(mine % 8 == 0));
  const cg::thread_group any = cg::tiled_partition(block, 4);
  of_thread[8] = static_cast<int>(any.thread_rank() + 10 * any.size());
  any.sync();
  of_thread[9] = cg::invoke_one_broadcast(tile, [&] { return mine; });
  of_thread[10] = cg::reduce(tile, mine, cg::less<int>());
  of_thread[11] = parts.shfl_up(mine, 1);
}

__global__ void use_tiles_of_warps(int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<128>(block);
  const int mine = static_cast<int>(block.thread_rank());
  int* const of_thread = out + mine * 6;
  of_thread[0] = cg::reduce(tile, mine, cg::plus<int>());
  of_thread[1] = cg::reduce(tile, Pair{1.0 * mine, mine, 0}, [](Pair a, Pair b) {
                   return a.key > b.key ? a : b;
                 }).value;
  of_thread[2] = tile.shfl(mine, 5);
  of_thread[3] = 2 * tile.any(mine == 200) + tile.all(mine < 128);
  of_thread[4] = static_cast<int>(tile.thread_rank());
  of_thread[5] = static_cast<int>(10 * tile.meta_group_size() + tile.meta_group_rank());
  tile.sync();
}

TEST_F(DeviceLibrary, TilesMayHaveSeveralWarps) {
  DeviceVector<int> out(256 * 6);
  use_tiles_of_warps<<<1, 256>>>(out.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<int> got = out.values();
  for (int mine = 0; mine < 256; ++mine) {
    const int tile = mine / 128, first = 128 * tile;
    const int expected[6] = {128 * first + 8128, first + 127,  first + 5,
                             tile == 0 ? 1 : 2,  mine - first, 20 + tile};
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(got[static_cast<std::size_t>(6 * mine + i)], expected[i]) << mine << ", " << i;
    }
  }
}

TEST_F(DeviceLibrary, GroupsPartitionReduceAndScan) {
  DeviceVector<int> out(64 * 12);
  use_groups<<<1, 64>>>(out.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<int> got = out.values();
  for (int mine = 0; mine < 64; ++mine) {
    const int first = mine / 16 * 16, rank = mine % 16;
    const bool fourth = mine % 4 == 0;
    const int of_part = fourth ? rank / 4 : rank - rank / 4 - 1;
    const int before = of_part == 0    ? mine
                       : fourth        ? mine - 4
                       : mine % 4 == 1 ? mine - 2
                                       : mine - 1;
    const int expected[12] = {16 * first + 120,
                              rank + 1,
                              rank == 0 ? INT_MIN : mine - 1,
                              first + 3,
                              mine % 3 == 0 ? 16 : 0,
                              fourth ? 4 : 12,
                              of_part,
                              fourth ? 0b0101 : 0,
                              mine % 4 + 40,
                              first,
                              first,
                              before};
    for (int i = 0; i < 12; ++i) {
      if (i == 4 && mine % 3 != 0) continue;
      EXPECT_EQ(got[mine * 12 + i], expected[i]) << "thread " << mine << ", result " << i;
    }
  }
}

// Products of a warp.

template <class T, class Sum, int m, int n, int k, class LayoutA, class LayoutB>
__global__ void multiply(const T* A, const T* B, Sum* C) {
  using Element = std::conditional_t<std::is_same_v<T, float>, wmma::precision::tf32, T>;
  wmma::fragment<wmma::matrix_a, m, n, k, Element, LayoutA> a;
  wmma::fragment<wmma::matrix_b, m, n, k, Element, LayoutB> b;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> c;
  wmma::fill_fragment(c, Sum(1.0f));
  wmma::load_matrix_sync(a, A, std::is_same_v<LayoutA, wmma::row_major> ? k : m);
  wmma::load_matrix_sync(b, B, std::is_same_v<LayoutB, wmma::row_major> ? n : k);
  wmma::mma_sync(c, a, b, c);
  for (int i = 0; i < c.num_elements; ++i) c.x[i] = c.x[i] * Sum(2.0f);
  wmma::store_matrix_sync(C, c, n, wmma::mem_row_major);
}

template <class T, class Sum, int m, int n, int k, class LayoutA, class LayoutB>
void check_product() {
  std::vector<T> A(m * k), B(k * n);
  for (int i = 0; i < m * k; ++i) A[i] = T(static_cast<float>(i * 7 % 11 - 5));
  for (int i = 0; i < k * n; ++i) B[i] = T(static_cast<float>(i * 5 % 7 - 3));
  DeviceVector<T> a(A), b(B);
  DeviceVector<Sum> c(m * n);
  multiply<T, Sum, m, n, k, LayoutA, LayoutB><<<1, 32>>>(a.data(), b.data(), c.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<Sum> got = c.values();
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      double expected = 1;
      for (int i = 0; i < k; ++i) {
        const int at_a = std::is_same_v<LayoutA, wmma::row_major> ? row * k + i : i * m + row;
        const int at_b = std::is_same_v<LayoutB, wmma::row_major> ? i * n + col : col * k + i;
        expected += static_cast<double>(static_cast<float>(A[at_a])) *
                    static_cast<double>(static_cast<float>(B[at_b]));
      }
      ASSERT_EQ(static_cast<double>(static_cast<float>(got[row * n + col])), 2 * expected)
          << row << ", " << col;
    }
  }
}

TEST_F(DeviceLibrary, WarpsMultiplyFragmentsOfAllTypes) {
  using wmma::col_major;
  using wmma::row_major;
  check_product<__half, float, 16, 16, 16, row_major, row_major>();
  check_product<__half, __half, 16, 16, 16, row_major, col_major>();
  check_product<__half, float, 32, 8, 16, col_major, row_major>();
  check_product<__nv_bfloat16, float, 8, 32, 16, row_major, col_major>();
  check_product<float, float, 16, 16, 8, row_major, row_major>();
  check_product<double, double, 8, 8, 4, row_major, col_major>();
  check_product<signed char, int, 16, 16, 16, row_major, col_major>();
  EXPECT_EQ(wmma::__float_to_tf32(1 + 0x1p-11f), 1 + 0x1p-10f) << "ties go away from zero";
}

// libcu++.

__global__ void use_libcu(int* counter, const int* in, int* out) {
  __shared__ int staged[2][64];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_device>(*counter).fetch_add(1);
  cuda::memcpy_async(block, staged[0], in, sizeof staged[0], barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = staged[0][63 - threadIdx.x];
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(block, staged[1], in + 64, sizeof staged[1], pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  out[64 + threadIdx.x] = staged[1][63 - threadIdx.x];
  pipeline.consumer_release();
  cg::memcpy_async(block, staged[0], in + 128, sizeof staged[0]);
  cg::wait(block);
  out[128 + threadIdx.x] = staged[0][63 - threadIdx.x];
}

__global__ void use_part_of_a_barrier() {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, 32);
  __syncthreads();
  if (threadIdx.x < 32) barrier.arrive_and_wait();
}

TEST_F(DeviceLibrary, BlocksCopyByBarriersAndPipelines) {
  std::vector<int> numbers(192);
  for (int i = 0; i < 192; ++i) numbers[i] = i;
  DeviceVector<int> counter(1), in(numbers), out(192);
  use_libcu<<<1, 64>>>(counter.data(), in.data(), out.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(counter.values()[0], 64);
  for (int i = 0; i < 192; ++i) EXPECT_EQ(out.values()[i], i / 64 * 64 + 63 - i % 64);
  use_part_of_a_barrier<<<1, 64>>>();
  EXPECT_THAT(the_fatal_finding("launch").message, HasSubstr("not all threads of the block"));
}

}  // namespace
}  // namespace tilewise::simt
