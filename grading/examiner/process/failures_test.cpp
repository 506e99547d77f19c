#include "grading/examiner/process/failures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

namespace tilewise::grading {
namespace {

struct Case {
  std::string output;
  std::string file;
  int line;
};

class ParseSourceLocation : public testing::TestWithParam<Case> {};

TEST_P(ParseSourceLocation, FindsTheInnermostKnownPlace) {
  const SourceLocation location = parse_source_location(GetParam().output);
  EXPECT_EQ(location.file, GetParam().file);
  EXPECT_EQ(location.line, GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseSourceLocation,
    testing::Values(Case{"matmul.cu:31\n", "matmul.cu", 31},
                    Case{"matmul.cu:31 (discriminator 2)\n", "matmul.cu", 31},
                    Case{"barriers.hpp:9\nmatmul.cu:31\nmatmul.cu:50\n", "matmul.cu", 31},
                    Case{"stl_vector.h:9\nmain.cpp:31\n", "stl_vector.h", 9}, Case{"??:0\n", "", 0},
                    // If a line of a kernel is unknown, what lies before it counts, not what it is
                    // inlined into.
                    Case{"0x12\nmatmul.cu:?\nmatmul.cu:50\n0x11\nmatmul.cu:31\nmatmul.cu:50\n",
                         "matmul.cu", 31},
                    Case{"0x12\nmatmul.cu:?\nmatmul.cu:50\n0x11\n??:0\n", "", 0},
                    Case{"??:?\nmain.cpp:7\n", "main.cpp", 7}, Case{"matmul.cu:?\n", "", 0},
                    Case{"", "", 0}, Case{"\xff\x1b[31m.cu:3\n", "", 0}, Case{"no colon\n", "", 0},
                    Case{"a.cu:99999999999999999999\n", "", 0}));

TEST(FindSourceLocation, GivesUpOnWhatIsNoModule) {
  EXPECT_EQ(find_source_location("/nonexistent", 16, {}).file, "");
}

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

TEST(SanitizerLog, TellsCopiesThatMayBeShortFromReads) {
  const std::string copy =
      "Invalid __global__ read of size 16 bytes at void tilewise::ptx::cp_async<(int)16>(void *, "
      "const void *, int)+0xcc0 in ptx.hpp:44 by thread (78,0,0) in block (0,0,0) ";
  const std::string read =
      "Invalid __global__ read of size 16 bytes at k(const float4 *)+0x40 in a.cu:4 by thread "
      "(78,0,0) in block (0,0,0) ";
  const std::string across =
      "Access to 0x7f3eba8024e0 is out of bounds and is inside the nearest allocation at "
      "0x7f3eba800000 of size 9448 bytes";
  const std::string behind =
      "Access to 0x7f3eba8024f0 is out of bounds and is 9 bytes after the nearest allocation at "
      "0x7f3eba800000 of size 9448 bytes";
  EXPECT_TRUE(may_be_short_copy({copy + across, {}}));
  EXPECT_FALSE(may_be_short_copy({copy + behind, {}}));
  EXPECT_FALSE(may_be_short_copy({read + across, {}}));
  const std::string by_the_pipeline =
      "Invalid __global__ read of size 16 bytes at nvcuda::experimental::__pipeline_internal::"
      "ImplementationChooser<(bool)1>::CpAsyncChooser<(unsigned long)16, (unsigned long)8>::"
      "cp_async(void *, const void *)+0x5130 in cuda_pipeline_helpers.h:203 by thread (6,1,0) in "
      "block (0,0,0) ";
  EXPECT_TRUE(may_be_short_copy({by_the_pipeline + across, {}}));
  EXPECT_FALSE(may_be_short_copy({by_the_pipeline + behind, {}}));
  const std::string in_a_kernel_of_that_name =
      "Invalid __global__ read of size 16 bytes at matmul_async_kernel(const float *)+0x40 in "
      "a.cu:4 "
      "by thread (78,0,0) in block (0,0,0) ";
  EXPECT_FALSE(may_be_short_copy({in_a_kernel_of_that_name + across, {}}));
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;
const Situation in_call = {"matmul_grid", 10, 4096 * mebibyte};
const Situation in_load = {"", 10, 4096 * mebibyte};
const SourceLocation line_31 = {"matmul_grid.cu", 31};

Fault fault(int signal) {
  Fault record = {};
  record.signal = signal;
  record.phase = Phase::calling;
  return record;
}

Fault fault_in_kernel(int signal) {
  Fault record = fault(signal);
  record.in_kernel = 1;
  std::strcpy(record.kernel, "grid_kernel<16>");
  record.block[0] = 2;
  record.thread[1] = 7;
  return record;
}

TEST(DescribeCrash, NamesThePlaceAndTheCause) {
  Fault at_null = fault(SIGSEGV);
  at_null.address = 8;
  EXPECT_EQ(
      describe_crash(at_null, line_31, in_call),
      "matmul_grid crashed: segmentation fault (SIGSEGV) at matmul_grid.cu:31. It used a null "
      "pointer (address 0x8).");
}

TEST(DescribeCrash, NamesTheThreadOfAKernel) {
  Fault out_of_bounds = fault_in_kernel(SIGSEGV);
  std::strcpy(out_of_bounds.explanation, "the kernel touched global memory past A");
  EXPECT_EQ(describe_crash(out_of_bounds, line_31, in_call),
            "matmul_grid crashed: segmentation fault (SIGSEGV) in kernel grid_kernel<16>, block "
            "(2, 0, 0), thread (0, 7, 0) at matmul_grid.cu:31: the kernel touched global memory "
            "past A.");
}

TEST(DescribeCrash, BlamesTheMemoryLimitOnlyWhereItIsNear) {
  Fault record = fault(SIGABRT);
  record.mapped_bytes = 4090 * mebibyte;
  EXPECT_EQ(describe_crash(record, {}, in_call),
            "matmul_grid crashed: abort (SIGABRT). It had run out of memory: 4096 MiB are allowed. "
            "Does it allocate in a loop, or never free?");
  record.mapped_bytes = 2000 * mebibyte;
  EXPECT_EQ(describe_crash(record, {}, in_call),
            "matmul_grid crashed: abort (SIGABRT). Look at its output for a failed assertion or an "
            "exception that nobody caught.");
}

TEST(DescribeCrash, KnowsTheStackFromOtherMemory) {
  Fault record = fault(SIGSEGV);
  record.address = 0x7ffc00000000;
  EXPECT_EQ(describe_crash(record, {}, in_load),
            "The submission crashed while the module was loading (a static constructor?): "
            "segmentation fault (SIGSEGV). It accessed address 0x7ffc00000000, which it does not "
            "own. Host code reaches device memory through cudaMemcpy only.");
  record.stack_overflow = 1;
  EXPECT_EQ(describe_crash(record, {}, in_call),
            "matmul_grid crashed: segmentation fault (SIGSEGV). The stack overflowed: is there a "
            "recursion without end, or a huge local array?");
}

// Wait statuses as Linux and macOS encode them: the exit status in the second byte, or the signal.
constexpr int exited_with(int code) { return code << 8; }
constexpr int killed_by(int signal) { return signal; }

TEST(DescribeEnd, TellsHowTheProcessEnded) {
  EXPECT_EQ(describe_end(exited_with(0), in_load),
            "exit called while the module was loading (exit status 0): does a static constructor "
            "call exit?");
  EXPECT_EQ(describe_end(exited_with(3), in_call),
            "matmul_grid ended the whole program with exit status 3 instead of returning. Return a "
            "cudaError_t and leave exit() to programs of your own.");
  EXPECT_EQ(describe_end(killed_by(SIGKILL), in_call),
            "matmul_grid was killed: by the system for want of memory, or by its own code.");
  EXPECT_EQ(describe_end(killed_by(SIGXFSZ), in_call),
            "matmul_grid wrote a file of more than 256 MiB, which is not allowed.");
  EXPECT_EQ(describe_end(killed_by(SIGFPE), in_call),
            "matmul_grid crashed: arithmetic error (SIGFPE).");
  EXPECT_EQ(describe_end(killed_by(SIGSYS), in_call),
            "matmul_grid crashed: a refused system call (SIGSYS). Your code asked the operating "
            "system for something that the grader does not allow, such as a file, a program or a "
            "connection. Compute with what the function is given.");
}

TEST(DescribeTimeOut, TellsWhereItIsStill) {
  EXPECT_EQ(
      describe_time_out(fault_in_kernel(SIGXCPU), line_31, in_call),
      "matmul_grid was still running after 10 s in kernel grid_kernel<16>, block (2, 0, 0), "
      "thread (0, 7, 0) at matmul_grid.cu:31: does a loop, this one or one around it, ever end? If "
      "they all do, this thread has far too much to do: let each thread compute its own results "
      "only.");
  Fault moving = fault_in_kernel(SIGXCPU);
  std::strcpy(moving.explanation, "7 of its 9 blocks were done by then");
  EXPECT_EQ(describe_time_out(moving, line_31, in_call),
            "matmul_grid was still running after 10 s in kernel grid_kernel<16>, block (2, 0, 0), "
            "thread (0, 7, 0) at matmul_grid.cu:31: 7 of its 9 blocks were done by then. Does each "
            "thread compute more than its own results, or are there far more threads than "
            "results?");
  EXPECT_EQ(describe_time_out(std::nullopt, {}, in_call),
            "matmul_grid was still running after 10 s: does a loop, this one or one around it, "
            "ever end?");
  Fault waiting = fault(SIGXCPU);
  waiting.phase = Phase::waiting;
  EXPECT_EQ(describe_time_out(waiting, {}, in_call),
            "matmul_grid was still running after 10 s: the function returned, but a kernel it "
            "launched has not ended. Does one of its loops ever end?");
}

}  // namespace
}  // namespace tilewise::grading
