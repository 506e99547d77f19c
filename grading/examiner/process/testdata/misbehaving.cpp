// A submission that does, on request, everything a worker has to survive. It is written as the
// rewriter leaves a .cu file, so that it needs no rewriting. The #line directives give the tests
// line numbers that do not move.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#include "grading/examiner/process/testdata/contract.hpp"
#include "grading/worker/binding.hpp"

namespace {

volatile bool always = true;  // keeps the compiler from seeing through what follows

void scale_kernel(const float* in, float* out, int n, float factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = factor * in[i];
}

void add_one_kernel(float* total) {
#line 107 "submission.cu"
  *total += 1;
}

void endless_kernel() {
#line 106 "submission.cu"
  while (always) {
  }
}

__attribute__((noinline)) int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return always ? recurse(depth + 1) + frame[0] : 0;
}

void write_to_descriptors(const char* bytes, size_t count) {
  for (int fd = 0; fd < 64; ++fd) static_cast<void>(!write(fd, bytes, count));
}

}  // namespace

cudaError_t scale(const float* in, float* out, int n, double factor, dim3 block) {
  const dim3 grid((static_cast<unsigned>(n) + block.x - 1) / block.x);
  ::tilewise::simt::launcher(
      "scale_kernel", "submission.cu", 1, [](auto... arguments) { scale_kernel(arguments...); },
      nullptr)
      .configure(grid, block)(in, out, n, static_cast<float>(factor));
  return cudaGetLastError();
}

cudaError_t accumulate(float* total) {
  ::tilewise::simt::launcher(
      "add_one_kernel", "submission.cu", 1, [](auto... arguments) { add_one_kernel(arguments...); },
      nullptr)
      .configure(1, 1)(total);
  return cudaGetLastError();
}

cudaError_t know_again(const float* in, float* times, int n) {
  static std::vector<std::vector<float>> seen;
  std::vector<float> now(static_cast<size_t>(n));
  cudaMemcpy(now.data(), in, now.size() * sizeof(float), cudaMemcpyDeviceToHost);
  const auto before = static_cast<float>(std::count(seen.begin(), seen.end(), now));
  seen.push_back(now);
  return cudaMemcpy(times, &before, sizeof before, cudaMemcpyHostToDevice);
}

cudaError_t refuse() { return cudaErrorInvalidValue; }

cudaError_t use_null_pointer() {
  volatile int* volatile null = nullptr;
#line 101 "submission.cu"
  *null = 1;
  return cudaSuccess;
}

cudaError_t use_device_pointer(float* data) {
#line 102 "submission.cu"
  data[1] = 1;
  return cudaSuccess;
}

cudaError_t copy_device_pointer(float* data) {
  static float host[1024];
#line 103 "submission.cu"
  memcpy(host, data, sizeof host);
  return host[0] == 1 ? cudaSuccess : cudaErrorUnknown;
}

cudaError_t use_null_pointer_in_kernel() { return accumulate(nullptr); }

cudaError_t overflow_stack() { return recurse(0) == 0 ? cudaSuccess : cudaErrorUnknown; }

cudaError_t call_abort() {
#line 104 "submission.cu"
  abort();
}

cudaError_t call_exit() { exit(0); }

cudaError_t kill_itself() {
  raise(SIGKILL);
  return cudaSuccess;
}

cudaError_t throw_exception() { throw std::runtime_error("no idea \xff"); }

cudaError_t throw_integer() { throw 7; }

cudaError_t loop_on_host() {
#line 105 "submission.cu"
  while (always) {
  }
  return cudaSuccess;
}

cudaError_t loop_in_kernel() {
  ::tilewise::simt::launcher(
      "endless_kernel", "submission.cu", 1, [](auto... arguments) { endless_kernel(arguments...); },
      nullptr)
      .configure(dim3(2, 2), 32)();
  return cudaGetLastError();
}

cudaError_t ignore_time_limit() {
  signal(SIGXCPU, SIG_IGN);
  return loop_on_host();
}

cudaError_t print_line() {
  printf("hello from the submission\n");
  printf("no end of line");
  return cudaSuccess;
}

cudaError_t print_without_end() {
  while (always) puts("all work and no play");
  return cudaSuccess;
}

cudaError_t allocate_without_end() {
  constexpr size_t megabyte = 1 << 20;
  while (always) {
    void* volatile block = malloc(megabyte);
    memset(block, 1, megabyte);
  }
  return cudaSuccess;
}

cudaError_t grow_vector_without_end() {
  std::vector<double> values;
  while (always) values.resize(values.size() + (1 << 20));
  return cudaSuccess;
}

cudaError_t write_to_every_descriptor() {
  static const char garbage[8192] = "garbage";
  write_to_descriptors(garbage, sizeof garbage);
  return cudaSuccess;
}

cudaError_t forge_reply() {
  const char reply[] =
      R"({"token": "guess", "sequence": 2, "kind": "returned", "status": 0, "status_name": "",)"
      R"( "launches": 1, "launch_list": [], "findings": [], "times_ms": [], "message": ""})";
  char framed[sizeof reply + 3] = {static_cast<char>((sizeof reply - 1) & 0xff),
                                   static_cast<char>((sizeof reply - 1) >> 8)};
  memcpy(framed + 4, reply, sizeof reply - 1);
  write_to_descriptors(framed, sizeof framed);
  return cudaSuccess;
}

cudaError_t forge_fault() {
  static char record[1024];
  memset(record, 0xff, sizeof record);
  memcpy(record, "TWFAFLT1", 8);
  for (int i = 0; i < 16; ++i) static_cast<void>(!write(5, record, sizeof record));
  abort();
}

cudaError_t announce_huge_message() {
  const char header[] = {'\xff', '\xff', '\xff', '\xff'};
  write_to_descriptors(header, sizeof header);
  return loop_on_host();
}

cudaError_t close_every_descriptor() {
  for (int fd = 0; fd < 64; ++fd) close(fd);
  return loop_on_host();
}

cudaError_t leave_child_behind() {
  if (fork() == 0) {
    sleep(60);
    _exit(0);
  }
  _exit(9);
}

cudaError_t fail_afterwards() {
  std::thread([] {
    usleep(200'000);  // until the call is over
    ::tilewise::simt::launcher(
        "launching_kernel", "submission.cu", 1,
        [](auto...) {
          ::tilewise::simt::launcher(
              "inner_kernel", "submission.cu", 1, [](auto...) {}, nullptr)
              .configure(1, 1)();
        },
        nullptr)
        .configure(1, 1)();
  }).detach();
  return cudaSuccess;
}

cudaError_t launch_afterwards() {
  std::thread([] {
    usleep(50'000);  // until the function has returned
    ::tilewise::simt::launcher(
        "kernel", "submission.cu", 1, [](auto...) {}, nullptr)
        .configure(1, 1)();
    puts("launched by now");
  }).detach();
  return cudaSuccess;
}

TILEWISE_BINDINGS(TILEWISE_BIND(scale), TILEWISE_BIND(accumulate), TILEWISE_BIND(know_again),
                  TILEWISE_BIND(refuse), TILEWISE_BIND(use_null_pointer),
                  TILEWISE_BIND(use_device_pointer), TILEWISE_BIND(copy_device_pointer),
                  TILEWISE_BIND(use_null_pointer_in_kernel), TILEWISE_BIND(overflow_stack),
                  TILEWISE_BIND(call_abort), TILEWISE_BIND(call_exit), TILEWISE_BIND(kill_itself),
                  TILEWISE_BIND(throw_exception), TILEWISE_BIND(throw_integer),
                  TILEWISE_BIND(loop_on_host), TILEWISE_BIND(loop_in_kernel),
                  TILEWISE_BIND(ignore_time_limit), TILEWISE_BIND(print_line),
                  TILEWISE_BIND(print_without_end), TILEWISE_BIND(allocate_without_end),
                  TILEWISE_BIND(grow_vector_without_end), TILEWISE_BIND(write_to_every_descriptor),
                  TILEWISE_BIND(forge_reply), TILEWISE_BIND(forge_fault),
                  TILEWISE_BIND(announce_huge_message), TILEWISE_BIND(close_every_descriptor),
                  TILEWISE_BIND(leave_child_behind), TILEWISE_BIND(fail_afterwards),
                  TILEWISE_BIND(launch_afterwards))
