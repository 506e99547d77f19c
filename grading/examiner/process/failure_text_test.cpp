#include "grading/examiner/process/failure_text.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

namespace tilewise::grading {
namespace {

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
      "thread (0, 7, 0) at matmul_grid.cu:31: does a loop, this one or one around it, ever end?");
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
