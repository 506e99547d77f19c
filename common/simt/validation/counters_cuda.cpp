// counters_cuda launches the kernel of every counter case on a GPU, one after another, while Nsight
// Compute watches; collect_counters runs it. counters_cuda --list prints the names of the cases.

#include <cstdio>
#include <cstring>

#include "common/cuda/device_buffer.hpp"
#include "common/simt/validation/cases.hpp"

int main(int argc, char** argv) try {
  const bool list = argc == 2 && !std::strcmp(argv[1], "--list");
  if (argc > 1 && !list) {
    std::fprintf(stderr, "usage: counters_cuda [--list]\n");
    return 2;
  }
  for (const tilewise::simt::CounterCase& counter_case : tilewise::simt::counter_cases()) {
    if (list) {
      std::puts(counter_case.name.c_str());
    } else {
      TILEWISE_CUDA_CHECK(counter_case.run());
    }
  }
  return 0;
} catch (const tilewise::cuda::Error& error) {
  std::fprintf(stderr, "counters_cuda: %s\n", error.what());
  return 1;
}
