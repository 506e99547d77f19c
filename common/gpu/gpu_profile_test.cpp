#include "common/gpu/gpu_profile.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

namespace tilewise::core {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(GpuProfile, CarriesTheCardsPublishedFacts) {
  struct Case {
    const char* id;
    int major, minor;
    double peak_gflops;  // data sheet
    std::size_t default_shared;
    int threads_per_block;
  };
  const Case cases[] = {
      {"gt240", 1, 2, 268.8, 16384, 512},
      {"gtx280", 1, 3, 622.08, 16384, 512},
      {"gtx1080", 6, 1, 8872.96, 49152, 1024},
      {"h200", 9, 0, 66908.16, 49152, 1024},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.id);
    const GpuProfile gpu = gpu_profile(c.id);
    EXPECT_EQ(gpu.compute_major, c.major);
    EXPECT_EQ(gpu.compute_minor, c.minor);
    EXPECT_NEAR(gpu.peak_fp32_gflops(), c.peak_gflops, 0.01);
    EXPECT_EQ(gpu.default_shared_bytes_per_block(), c.default_shared);
    EXPECT_EQ(gpu.threads_per_block, c.threads_per_block);
  }
}

TEST(GpuProfile, NamesTheKnownOnesWhenAskedForAnother) {
  EXPECT_THAT([] { gpu_profile("gtx9999"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("known are a100, gt240, gtx1080")));
}

TEST(GpuProfile, SaysWhichFieldOfWhichProfileIsWrong) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("tilewise_gpus_" + std::to_string(::getpid()) + ".json");
  struct Case {
    const char* text;
    const char* complaint;
  };
  const Case cases[] = {
      {R"({"x": {"name": "X"}})", "compute_capability"},
      {R"({"x": {"name": "X", "compute_capability": "six"}})", "not MAJOR.MINOR"},
      {R"({"x": {"name": "X", "compute_capability": "6.1", "sms": "many"}})", "profile \"x\""},
      {"{", "parse error"},
  };
  for (const Case& c : cases) {
    std::ofstream(file) << c.text;
    EXPECT_THAT([&] { load_gpu_profiles(file); },
                ThrowsMessage<std::runtime_error>(HasSubstr(c.complaint)));
  }
  std::filesystem::remove(file);
  EXPECT_THAT([&] { load_gpu_profiles(file); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot read")));
}

}  // namespace
}  // namespace tilewise::core
