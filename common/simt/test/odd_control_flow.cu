// Kernels of one warp whose lanes go different ways, for odd_control_flow_test.cpp. Each compiler,
// and each way to lay out blocks, compiles them once more, into a namespace of its own.

#include "common/simt/test/odd_control_flow.hpp"

#ifndef TILEWISE_LAYOUT
#define TILEWISE_LAYOUT other_compiler
#endif

namespace tilewise::simt {
namespace TILEWISE_LAYOUT {

// Every kernel has its lane's column of in and out, both (rows, 32): a row is 4 sectors.
constexpr int width = 32;

#define ROW(row) ((row) * width + lane)

__global__ void falls_through(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  switch (lane / 4 % 4) {
    case 0:
      sum += in[ROW(0)];
      [[fallthrough]];
    case 1:
      sum += in[ROW(1)];
      break;
    case 2:
      sum += in[ROW(2)];
      break;
    default:
      sum += in[ROW(3)];
  }
  out[ROW(0)] = sum + in[ROW(4)];
}

__global__ void switches_among_many(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    switch ((lane + k) % 8) {
      case 0: sum += in[ROW(0)]; break;
      case 1: sum -= in[ROW(1)]; break;
      case 2: sum *= in[ROW(2)]; break;
      case 3: sum ^= in[ROW(3)]; break;
      case 4: sum |= in[ROW(4)]; break;
      case 5: sum &= in[ROW(5)]; break;
      case 6: sum += 3 * in[ROW(6)]; break;
      default: sum += 5 * in[ROW(7)]; break;
    }
    sum += in[ROW(8 + k)];
  }
  out[ROW(0)] = sum;
}

__global__ void continues_early(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (in[ROW(k)] != 0) continue;
    sum += in[ROW(4 + k)];
  }
  out[ROW(0)] = sum;
}

__global__ void continues_unseen(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    if ((lane + k) % 2 != 0) continue;
    sum += in[ROW(k)];
  }
  out[ROW(0)] = sum;
}

__global__ void is_unlikely(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (in[ROW(k)] != 0) [[unlikely]] {
      sum += in[ROW(4 + k)];
    }
    sum += in[ROW(8 + k)];
  }
  out[ROW(0)] = sum;
}

__global__ void breaks_out_of_two(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int j = 0; j < 2; ++j) {
    for (int k = 0; k < 4; ++k) {
      sum += in[ROW(4 * j + k)];
      if (4 * j + k == lane / 4) goto found;
    }
  }
found:
  out[ROW(0)] = sum + in[ROW(8)];
}

__global__ void does_something_before_break(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    sum += in[ROW(k)];
    if (k == lane / 8) {
      sum += in[ROW(4)];
      break;
    }
    sum += in[ROW(5 + k)];
  }
  out[ROW(0)] = sum + in[ROW(9)];
}

__global__ void goes_forward(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = in[ROW(0)];
  if (lane % 2 == 0) goto second;
  sum += in[ROW(1)];
  if (lane % 4 == 1) goto third;
second:
  sum += in[ROW(2)];
third:
  sum += in[ROW(3)];
  out[ROW(0)] = sum;
}

__global__ void goes_back(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0, k = 0;
again:
  sum += in[ROW(k)];
  if (lane % 2 == 0) sum += in[ROW(4 + k)];
  if (++k < 4) goto again;
  out[ROW(0)] = sum;
}

__global__ void asks_in_short(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  if (in[ROW(0)] == 0 && in[ROW(1)] == 0) sum += in[ROW(2)];
  out[ROW(0)] = sum + in[ROW(3)];
}

__global__ void does_while(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0, k = 0;
  do {
    sum += in[ROW(k)];
    ++k;
  } while (k < lane / 8 + 1);
  out[ROW(0)] = sum + in[ROW(4)];
}

__global__ void does_while_in_a_loop(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int j = 0; j < 2; ++j) {
    int k = 0;
    do {
      sum += in[ROW(4 * j + k)];
      ++k;
    } while (k < lane / 8 + 1);
    out[ROW(j)] = sum;
  }
}

__global__ void chooses(const int* in, int* out) {
  const int lane = threadIdx.x;
  const int a = lane % 2 == 0 ? in[ROW(0)] : in[ROW(1)];
  const int b = lane % 4 == 0 ? in[ROW(2)] : 1;
  out[ROW(0)] = a + b + in[ROW(3)];
}

__global__ void returns_early(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = in[ROW(0)];
  if (lane % 4 == 0) return;
  sum += in[ROW(1)];
  if (lane % 4 == 1) {
    out[ROW(0)] = sum;
    return;
  }
  out[ROW(1)] = sum + in[ROW(2)];
}

__noinline__ __device__ int returns_here_and_there(const int* in, int lane) {
  if (lane % 2 == 0) return in[ROW(0)];
  const int sum = in[ROW(1)];
  if (lane % 4 == 1) return sum;
  return sum + in[ROW(2)];
}

__global__ void calls(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  if (lane % 8 == 0) sum += in[ROW(9)];
  sum += returns_here_and_there(in, lane);
  sum += in[ROW(3)];
  sum += returns_here_and_there(in + 4 * width, lane);
  out[ROW(0)] = sum + in[ROW(8)];
}

__global__ void calls_in_a_loop(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 2; ++k) {
    sum += returns_here_and_there(in + 4 * k * width, lane);
    sum += in[ROW(3 + 4 * k)];
  }
  out[ROW(0)] = sum;
}

__global__ void walks_a_triangle(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (k >= lane / 8) sum += in[ROW(k)];
  }
  out[ROW(0)] = sum;
}

template <void (*kernel)(const int*, int*)>
void launch(const int* in, int* out) {
  kernel<<<1, width>>>(in, out);
}

#define TEXT(word) #word
#define NAME(layout) TEXT(layout)
#define NAMED(kernel) {#kernel, launch<kernel>}

const bool listed =
    odd_kernels()
        .insert({NAME(TILEWISE_LAYOUT),
                 {NAMED(falls_through),
                  NAMED(switches_among_many),
                  NAMED(continues_early),
                  NAMED(continues_unseen),
                  NAMED(is_unlikely),
                  NAMED(breaks_out_of_two),
                  NAMED(does_something_before_break),
                  NAMED(goes_forward),
                  NAMED(goes_back),
                  NAMED(asks_in_short),
                  NAMED(does_while),
                  NAMED(does_while_in_a_loop),
                  NAMED(chooses),
                  NAMED(returns_early),
                  NAMED(calls),
                  NAMED(calls_in_a_loop),
                  NAMED(walks_a_triangle)}})
        .second;

}  // namespace TILEWISE_LAYOUT
}  // namespace tilewise::simt
