#include "grading/examiner/process/sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using testing::StartsWith;

TEST(SanitizerLog, GivesTheFirstErrorAndItsPlace) {
  const struct {
    const char* what;
    const char* log;
    const char* message;
    const char* file;
    int line;
  } cases[] = {
      {"memcheck",
       "========= COMPUTE-SANITIZER\n"
       "========= Invalid __global__ read of size 4 bytes\n"
       "=========     at void matmul_kernel<(int)16>(const float *, int)+0x1c0 in "
       "labs/03_shared_memory/matmul_shared.cu:37\n"
       "=========     by thread (5,3,0) in block (0,0,0)\n"
       "=========     Access to 0x7f71b9e01360 is out of bounds\n"
       "=========     and is 1 bytes after the nearest allocation at 0x7f71b9e00a00 of size 2400 "
       "bytes\n"
       "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
       "=========         Host Frame: main [0xab50] in main.cu:688\n"
       "=========\n"
       "========= Invalid __global__ read of size 8 bytes\n"
       "========= ERROR SUMMARY: 2 errors\n",
       "Invalid __global__ read of size 4 bytes at void matmul_kernel<(int)16>(const float *, "
       "int)+0x1c0 in labs/03_shared_memory/matmul_shared.cu:37 by thread (5,3,0) in block "
       "(0,0,0) Access to 0x7f71b9e01360 is out of bounds and is 1 bytes after",
       "matmul_shared.cu", 37},
      {"racecheck",
       "========= COMPUTE-SANITIZER\n"
       "========= Error: Race reported between Write access at k(float *)+0x250 in a.cu:31\n"
       "=========     and Read access at k(float *)+0x300 in a.cu:28 [1024 hazards]\n"
       "=========\n"
       "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
       "Error: Race reported between Write access at k(float *)+0x250 in a.cu:31 and Read access "
       "at k(float *)+0x300 in a.cu:28 [1024 hazards]",
       "a.cu", 31},
      {"an error behind a warning",
       "========= COMPUTE-SANITIZER\n"
       "========= Warning: Race reported between Read access at k(float *)+0x250 in a.cu:7\n"
       "=========     and Write access at k(float *)+0x300 in a.cu:8 [4 hazards]\n"
       "=========\n"
       "========= Error: Race reported between Write access at k(float *)+0x250 in a.cu:31\n",
       "Error: Race reported between Write access", "a.cu", 31},
      {"an older version",
       "========= COMPUTE-SANITIZER\n"
       "========= ERROR: Race reported between Read access at 0xf10 in /home/me/a.cu:15:k(int)\n",
       "ERROR: Race reported between Read access", "a.cu", 15},
      {"synccheck",
       "========= COMPUTE-SANITIZER\n"
       "========= Barrier error detected. Divergent thread(s) in block\n"
       "=========     at k(float *)+0x90 in a.cu:12\n"
       "=========     by thread (32,0,0) in block (0,0,0)\n",
       "Barrier error detected. Divergent thread(s) in block at k(float *)+0x90 in a.cu:12 by "
       "thread (32,0,0) in block (0,0,0)",
       "a.cu", 12},
      {"no line information",
       "========= COMPUTE-SANITIZER\n"
       "========= Uninitialized __global__ memory read of size 4 bytes\n"
       "=========     at k(float *)+0x90\n",
       "Uninitialized __global__ memory read of size 4 bytes at k(float *)+0x90", "", 0},
      {"a line number that is none", "========= Invalid x at k in a.cu:99999999999999999999\n",
       "Invalid x", "", 0},
  };
  for (const auto& expected : cases) {
    const auto error = first_sanitizer_error(expected.log);
    ASSERT_TRUE(error) << expected.what;
    EXPECT_THAT(error->message, StartsWith(expected.message)) << expected.what;
    EXPECT_EQ(error->place.file, expected.file) << expected.what;
    EXPECT_EQ(error->place.line, expected.line) << expected.what;
  }
}

TEST(SanitizerLog, HasNoErrorWhereThereIsNone) {
  for (const char* log :
       {"", "hello\n", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n",
        "========= COMPUTE-SANITIZER\n"
        "========= Warning: Race reported between Read access at k(float *)+0x250 in a.cu:7\n"
        "=========     and Write access at k(float *)+0x300 in a.cu:8 [4 hazards]\n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n"}) {
    EXPECT_FALSE(first_sanitizer_error(log)) << log;
  }
}

}  // namespace
}  // namespace tilewise::grading
