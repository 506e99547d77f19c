#include "common/model/kernel_time.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/files.hpp"

namespace tilewise::model {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int n = 4096;

/// A product of order 4096 with tiles of 32 x 32, one result a thread.
KernelWork tiled_product() {
  KernelWork work;
  constexpr double products = double(n) * n * n, warps = double(n) * n / 32, steps = n / 32;
  work.blocks_x = work.blocks_y = n / 32;
  work.threads_per_block = 1024;
  work.shared_bytes_per_block = 8192;
  work.registers_per_thread = 32;
  work.operations = 2 * products;
  work.global_load_requests = 2 * warps * steps;
  work.global_load_sectors = 4 * work.global_load_requests;
  work.global_load_bytes = 32 * work.global_load_sectors;
  work.global_store_requests = warps;
  work.global_store_sectors = 4 * warps;
  work.global_store_bytes = 128 * warps;
  work.shared_load_requests = 1.25 * products / 32;
  work.shared_load_wavefronts = 1.25 * products / 32;
  work.shared_store_requests = work.shared_store_wavefronts = 2 * warps * steps;
  work.barriers = 2 * warps * steps;
  work.block = {.load_sectors = 2 * 32 * n / 8.0,
                .shared_along_x = 32 * n / 8.0,
                .shared_along_y = 32 * n / 8.0,
                .store_sectors = 128,
                .store_bytes = 4096,
                .load_lines = 2 * 32 * n / 32.0,
                .store_lines = 32,
                .load_intervals = 32 * steps,
                .waiting_intervals = 32 * steps,
                .store_rounds = 32};
  return work;
}

/// A copy of 4096 x 4096 floats.
KernelWork copy() {
  KernelWork work;
  constexpr double warps = double(n) * n / 32;
  work.blocks_x = n / 32;
  work.blocks_y = n / 8;
  work.threads_per_block = 256;
  work.registers_per_thread = 16;
  work.global_load_requests = work.global_store_requests = warps;
  work.global_load_sectors = work.global_store_sectors = 4 * warps;
  work.global_load_bytes = work.global_store_bytes = 128 * warps;
  work.block = {.load_sectors = 32,
                .store_sectors = 32,
                .load_lines = 8,
                .store_lines = 8,
                .load_intervals = 8};
  return work;
}

KernelWork with(KernelWork work, void (*change)(KernelWork&)) {
  change(work);
  return work;
}

constexpr const char* profiles[] = {"gt240", "gtx280", "gtx1080", "p100", "t4", "a100", "h200"};

core::GpuProfile profile(const std::string& id) {
  core::GpuProfile gpu = core::gpu_profile(id);
  // Lets one example run on all cards.
  gpu.threads_per_block = 1024;
  gpu.registers_per_sm = std::max(gpu.registers_per_sm, 65536);
  return gpu;
}

TEST(KernelTime, NeverBeatsTheRoofline) {
  for (const char* id : profiles) {
    const core::GpuProfile gpu = profile(id);
    EXPECT_LE(kernel_time(gpu, tiled_product()).gflops, gpu.peak_fp32_gflops()) << id;
    EXPECT_LE(kernel_time(gpu, copy()).gb_s, gpu.dram_gb_s) << id;
    KernelWork arithmetic = tiled_product();
    arithmetic.shared_load_requests = arithmetic.shared_load_wavefronts = 0;
    arithmetic.global_load_requests = arithmetic.global_load_sectors = 0;
    arithmetic.block = {};
    EXPECT_LE(kernel_time(gpu, arithmetic).gflops, gpu.peak_fp32_gflops()) << id;
  }
}

/// The same work with every load from global memory replaced by an atomic operation that changes
/// nothing.
KernelWork loading_by_atomics(KernelWork work) {
  work.global_atomic_requests = std::exchange(work.global_load_requests, 0);
  work.global_atomic_sectors = std::exchange(work.global_load_sectors, 0);
  work.global_atomic_bytes = std::exchange(work.global_load_bytes, 0);
  work.global_atomic_passes = work.global_atomic_requests;
  return work;
}

TEST(KernelTime, AtomicsCostNoLessThanLoads) {
  for (const char* id : profiles) {
    for (const KernelWork& work : {tiled_product(), copy()}) {
      const KernelTime loads = kernel_time(profile(id), work);
      const KernelTime atomics = kernel_time(profile(id), loading_by_atomics(work));
      EXPECT_GE(atomics.ms, loads.ms) << id;
      EXPECT_GE(atomics.warp_instructions, loads.warp_instructions) << id;
    }
  }
}

TEST(KernelTime, ShufflesCostNoLessThanSharedLoads) {
  for (const char* id : {"gtx1080", "p100", "t4", "a100", "h200"}) {
    const KernelWork by_shuffles = with(tiled_product(), [](KernelWork& work) {
      work.shuffles = std::exchange(work.shared_load_requests, 0);
      work.shared_load_wavefronts = 0;
    });
    EXPECT_GE(kernel_time(profile(id), by_shuffles).ms,
              kernel_time(profile(id), tiled_product()).ms * (1 - 1e-9))
        << id;
  }
}

/// A product whose multiply-adds are made by tensor cores, 2048 in an instruction.
KernelWork on_tensor_cores(double KernelWork::*products) {
  KernelWork work = tiled_product();
  work.*products = work.operations / 2;
  work.tensor_instructions = work.operations / 2 / 2048;
  work.shared_load_requests = work.shared_load_wavefronts = work.operations / 2 / 8192;
  work.global_load_requests = work.global_load_sectors = work.operations / 2 / 16384;
  work.block.load_sectors = 1;
  work.barriers = 0;
  return work;
}

TEST(KernelTime, TensorCoresHaveARateForEachType) {
  const core::GpuProfile gpu = core::gpu_profile("h200");
  const auto ms = [&](double KernelWork::*products) {
    for (const TimePart& part : kernel_time(gpu, on_tensor_cores(products)).parts) {
      if (part.name == "tensor cores") return part.ms;
    }
    return 0.0;
  };
  const double halves = ms(&KernelWork::tensor_half_products);
  EXPECT_GT(halves, 0);
  EXPECT_NEAR(ms(&KernelWork::tensor_tf32_products) / halves, 2, 1e-6);
  EXPECT_NEAR(ms(&KernelWork::tensor_integer_products) / halves, 0.5, 1e-6);
  EXPECT_NEAR(ms(&KernelWork::tensor_double_products) / halves, 2048 * 0.6 / 128, 1e-6);
  EXPECT_EQ(kernel_time(gpu, on_tensor_cores(&KernelWork::tensor_double_products)).limiter,
            "tensor cores");
  EXPECT_THAT(
      [] {
        kernel_time(core::gpu_profile("gtx1080"),
                    on_tensor_cores(&KernelWork::tensor_half_products));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("no tensor cores that multiply halves")));
}

TEST(KernelTime, LanesThatWantOneAddressWaitForEachOther) {
  for (const char* id : {"gtx1080", "h200"}) {
    KernelWork work = tiled_product();
    work.global_atomic_requests = work.global_atomic_sectors = 1e8;
    work.global_atomic_passes = 1e8;
    const double apart = kernel_time(profile(id), work).ms;
    work.global_atomic_passes = 32e8;
    EXPECT_GT(kernel_time(profile(id), work).ms, 1.5 * apart) << id;
  }
}

TEST(KernelTime, SharedAtomicsTakeTheUnitOfSharedMemory) {
  for (const char* id : {"gtx1080", "h200"}) {
    KernelWork work = tiled_product();
    work.shared_atomic_requests = work.shared_atomic_wavefronts =
        std::exchange(work.shared_load_wavefronts, 0);
    work.shared_load_requests = 0;
    EXPECT_GE(kernel_time(profile(id), work).ms, kernel_time(profile(id), tiled_product()).ms)
        << id;
  }
}

TEST(KernelTime, ConstantsThatDifferWithinAWarpTakeAnInstructionEach) {
  KernelWork work = tiled_product();
  work.constant_passes = 100;
  EXPECT_EQ(kernel_time(profile("gtx1080"), work).warp_instructions,
            kernel_time(profile("gtx1080"), tiled_product()).warp_instructions + 100);
}

TEST(KernelTime, LooksUpALineAClock) {
  const core::GpuProfile gpu = profile("h200");
  const auto unit = [&](double lines_of_a_request) {
    KernelWork work = tiled_product();
    // The sectors stay as they are, but lie in more lines.
    work.block.load_lines *= lines_of_a_request;
    const KernelTime time = kernel_time(gpu, work);
    return std::ranges::find(time.parts, "shared wavefronts", &TimePart::name)->ms;
  };
  const double accesses = 2.0 * n / 32 * n * (n / 32);  // the loads of tiled_product()
  EXPECT_NEAR(unit(4) - unit(1), 3 * accesses / (gpu.sms * gpu.clock_mhz * 1e3), 1e-3);
  EXPECT_DOUBLE_EQ(
      kernel_time(profile("gtx1080"), tiled_product()).ms,
      kernel_time(profile("gtx1080"),
                  with(tiled_product(), [](KernelWork& work) { work.block.load_lines *= 4; }))
          .ms)
      << "whose L1 serves no shared memory";
}

TEST(KernelTime, PartsOfASectorCostL2AReadMore) {
  const auto l2 = [](double bytes_of_a_sector) {
    KernelWork work = copy();
    work.global_store_sectors = work.global_store_bytes / bytes_of_a_sector;
    work.block.store_lines = 0;  // lines have a rate of their own
    work.block.load_lines = 0;
    const KernelTime time = kernel_time(core::gpu_profile("h200"), work);
    return std::ranges::find(time.parts, "L2 bandwidth", &TimePart::name)->ms;
  };
  const double loaded = l2(32) / 2;
  EXPECT_NEAR(l2(16), loaded * (1 + 2 + 1), 1e-9) << "twice the sectors, and half as much unasked";
}

TEST(KernelTime, LoadsThatNothingIsBesideOpenPagesOfDram) {
  const core::GpuProfile gtx280 = profile("gtx280");
  const auto of = [&](void (*change)(KernelWork&)) {
    KernelWork work = copy();
    work.global_load_requests *= 2;                         // a half-warp each
    work.global_load_sectors = work.global_load_bytes / 4;  // one for each lane
    work.block.load_sectors = work.block.load_lines = 256;
    change(work);
    return kernel_time(gtx280, work).ms;
  };
  const double scattered = of([](KernelWork&) {});
  const double of_neighbours =
      of([](KernelWork& work) { work.block.shared_along_x = work.block.load_sectors; });
  EXPECT_GT(scattered, 4 * of_neighbours) << "a page each, but for those that are open";
  const double few = of([](KernelWork& work) {
    work.block.load_lines /= 256;  // of one row
  });
  EXPECT_NEAR(few, of_neighbours, 1e-9);
}

TEST(KernelTime, HalvesWithTwiceTheBandwidthWhereThatIsTheLimit) {
  for (const char* id : profiles) {
    core::GpuProfile gpu = profile(id);
    gpu.dram_gb_s /= 8;  // now surely the limit
    const KernelTime slow = kernel_time(gpu, copy());
    EXPECT_EQ(slow.limiter, "DRAM bandwidth") << id;
    gpu.dram_gb_s *= 2;
    EXPECT_NEAR(kernel_time(gpu, copy()).ms / slow.ms, 0.5, 0.03) << id;
  }
}

TEST(KernelTime, NeverTakesLongerOnABetterGpu) {
  const struct {
    const char* what;
    void (*improve)(core::GpuProfile&);
  } improvements[] = {
      {"DRAM bandwidth", [](core::GpuProfile& gpu) { gpu.dram_gb_s *= 1.5; }},
      {"clock", [](core::GpuProfile& gpu) { gpu.clock_mhz *= 1.5; }},
      {"L2", [](core::GpuProfile& gpu) { gpu.l2_bytes *= 4; }},
      {"SMs", [](core::GpuProfile& gpu) { gpu.sms *= 2; }},
      {"lanes", [](core::GpuProfile& gpu) { gpu.fp32_lanes_per_sm *= 2; }},
  };
  for (const char* id : profiles) {
    for (const auto& [what, improve] : improvements) {
      core::GpuProfile better = profile(id);
      improve(better);
      for (const KernelWork& work : {tiled_product(), copy()}) {
        EXPECT_LE(kernel_time(better, work).ms, kernel_time(profile(id), work).ms * (1 + 1e-9))
            << id << ", " << what;
      }
    }
  }
}

TEST(KernelTime, NeverTakesLessForMoreWork) {
  double KernelWork::*const counts[] = {&KernelWork::operations,
                                        &KernelWork::global_load_requests,
                                        &KernelWork::global_load_sectors,
                                        &KernelWork::global_store_requests,
                                        &KernelWork::global_store_sectors,
                                        &KernelWork::shared_load_requests,
                                        &KernelWork::shared_load_wavefronts,
                                        &KernelWork::shared_store_requests,
                                        &KernelWork::shared_store_wavefronts,
                                        &KernelWork::barriers};
  for (const char* id : {"gtx1080", "p100", "h200"}) {
    for (const auto count : counts) {
      KernelWork more = tiled_product();
      more.*count *= 2;
      EXPECT_GE(kernel_time(profile(id), more).ms,
                kernel_time(profile(id), tiled_product()).ms * (1 - 1e-9))
          << id;
    }
  }
}

TEST(KernelTime, NamesTheLimiter) {
  const struct {
    const char* gpu;
    KernelWork work;
    const char* limiter;
  } cases[] = {
      {"gtx1080", tiled_product(), "shared wavefronts"},
      {"gtx1080",
       with(tiled_product(),
            [](KernelWork& work) {
              work.shuffles = std::exchange(work.shared_load_requests, 0);
              work.shared_load_wavefronts = 0;
            }),
       "warp shuffles"},
      {"gtx280", tiled_product(), "instruction issue"},
      {"gtx1080", copy(), "DRAM bandwidth"},
      {"h200", copy(), "DRAM bandwidth"},
      {"gtx280", with(copy(), [](KernelWork& work) { work.partition_imbalance = 8; }),
       "partition camping"},
      {"h200",
       with(copy(),
            [](KernelWork& work) {  // every store has a line of its own
              work.global_store_sectors *= 8;
              work.block.store_lines *= 32;
            }),
       "L2 bandwidth"},
      {"gtx1080",
       with(tiled_product(),
            [](KernelWork& work) {
              work.shared_load_requests /= 20;
              work.shared_load_wavefronts /= 20;
              work.global_load_requests /= 20;
              work.global_load_sectors /= 20;
              work.block.load_sectors /= 20;
              work.block.shared_along_x /= 20;
              work.block.shared_along_y /= 20;
              work.block.waiting_intervals /= 20;
              work.block.load_intervals /= 20;
              work.barriers /= 20;
              work.shared_store_requests /= 20;
              work.shared_store_wavefronts /= 20;
            }),
       "FP32 arithmetic"},
      {"gtx1080", with(tiled_product(), [](KernelWork& work) { work.double_precision = true; }),
       "FP64 arithmetic"},
      {"gtx1080", with(tiled_product(), [](KernelWork& work) { work.barriers *= 40; }),
       "waiting at barriers"},
      {"gtx1080",
       with(tiled_product(),
            [](KernelWork& work) {
              work.block.waiting_intervals *= 100;
              work.block.load_intervals *= 100;
            }),
       "latency: too few warps"},
      {"gtx1080",
       with(tiled_product(), [](KernelWork& work) { work.blocks_x = work.blocks_y = 2; }),
       "too few blocks"},
      {"gtx1080",
       with(tiled_product(),
            [](KernelWork& work) {  // 20 SMs hold two blocks each
              work.blocks_x = 41;
              work.blocks_y = 1;
            }),
       "last wave partly empty"},
      {"gtx1080", with(tiled_product(), [](KernelWork& work) { work.spilled_words = 4; }),
       "spilled registers"},
      {"gtx1080", KernelWork{}, "launch overhead"},
  };
  for (const auto& expected : cases) {
    EXPECT_EQ(kernel_time(profile(expected.gpu), expected.work).limiter, expected.limiter)
        << expected.gpu;
  }
}

// put2025 counted 28 spilled words in each step for 16x16 results, and all words for 23x24 and
// 24x24.
TEST(SpilledWords, AreWhatRegistersAndMostResultsLeave) {
  const struct {
    double results;
    int registers;
    double words;
  } cases[] = {{1, 32, 0},  {64, 196, 0},    {64, 64, 16},    {256, 255, 33},
               {256, 0, 0}, {552, 128, 552}, {576, 255, 576}, {510, 255, 510 + 45.166 - 255}};
  const core::Capability& capability = core::capability_of(profile("gtx1080"));
  for (const auto& [results, registers, words] : cases) {
    KernelWork work = tiled_product();
    work.registers_per_thread = registers;
    work.block.store_bytes = results * 4 * work.threads_per_block;
    EXPECT_NEAR(spilled_words(work, capability), words, 1e-3) << results;
    work.block.store_rounds = 32 * results;  // stored one at a time
    EXPECT_EQ(spilled_words(work, capability), 0) << results;
    work.barriers = 0;
    work.block.store_rounds = 0;
    EXPECT_EQ(spilled_words(work, capability), 0) << "no sums are held back";
  }
}

TEST(SpilledWords, MoveThroughL2AndToDramWhereL2HasNoRoom) {
  // 1,024 threads on each of 20 SMs spill 4 words each, or 40; 2 MiB of L2 have room for 25.
  const core::GpuProfile gpu = profile("gtx1080");
  const auto parts = [&](double words) {
    KernelWork work = tiled_product();
    work.spilled_words = words;
    const KernelTime time = kernel_time(gpu, work);
    double l2 = 0, dram = 0;
    for (const TimePart& part : time.parts) {
      if (part.name == "L2 bandwidth" || part.name == "spilled registers")
        (l2 == 0 ? l2 : dram) = part.ms;
      if (part.name == "DRAM bandwidth") dram = part.ms;
    }
    return std::pair(l2, dram);
  };
  const auto [l2, dram] = parts(0);
  const auto [l2_of_4, dram_of_4] = parts(4);
  const auto [l2_of_40, dram_of_40] = parts(40);
  EXPECT_GT(l2_of_4, 2 * l2);
  EXPECT_EQ(dram_of_4, dram);
  EXPECT_GT(l2_of_40, 5 * l2_of_4);
  EXPECT_GT(dram_of_40, 20 * dram);
}

TEST(KernelTime, RefusesWhatCannotBe) {
  const core::GpuProfile gpu = profile("gtx1080");
  const struct {
    KernelWork work;
    const char* message;
  } cases[] = {
      {with(copy(), [](KernelWork& work) { work.barriers = -1; }), "not negative"},
      {with(copy(),
            [](KernelWork& work) { work.operations = std::numeric_limits<double>::quiet_NaN(); }),
       "finite"},
      {with(copy(), [](KernelWork& work) { work.blocks_x = 0; }), "a grid has blocks"},
      {with(copy(), [](KernelWork& work) { work.threads_per_block = 2048; }), "takes 1 to 1024"},
      {with(copy(), [](KernelWork& work) { work.registers_per_thread = 300; }), "300 registers"},
  };
  for (const auto& expected : cases) {
    EXPECT_THAT([&] { kernel_time(gpu, expected.work); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(expected.message)));
  }
  EXPECT_THAT(
      [] {
        kernel_time(core::gpu_profile("gt240"), with(tiled_product(), [](KernelWork& work) {
                      work.double_precision = true;
                      work.threads_per_block = 512;
                    }));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("double precision")));
}

TEST(KernelTime, AddsNothingWhereNothingIsDone) {
  const KernelTime time = kernel_time(profile("gtx1080"), KernelWork{});
  EXPECT_EQ(time.gflops, 0);
  EXPECT_EQ(time.gb_s, 0);
  EXPECT_LT(time.ms, 0.01);
}

TEST(DramTraffic, IsAllWithoutL2AndOnceWhereEverythingFits) {
  const KernelWork work = tiled_product();
  core::GpuProfile gpu = profile("gtx280");
  EXPECT_EQ(dram_traffic(gpu, work, 30).load_sectors, work.global_load_sectors);
  gpu = profile("gtx1080");
  gpu.l2_bytes = std::size_t{1} << 30;
  EXPECT_DOUBLE_EQ(dram_traffic(gpu, work, 40).load_sectors, 2.0 * n * n / 8);
  gpu.l2_bytes = 1;
  EXPECT_NEAR(dram_traffic(gpu, work, 40).load_sectors, 1.025 * n * n / 8 * (n / 32), 2e6);
}

}  // namespace
}  // namespace tilewise::model
