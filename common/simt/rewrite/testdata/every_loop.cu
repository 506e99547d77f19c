// Loops of every form, marked and compiled as in the checked build: each tells of its end once,
// whichever way a thread leaves it, and computes what it did without a mark.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace tilewise::simt {

static int exits = 0;

// Stand in for the run-time's.
[[gnu::noinline]] void note_loop_exit(unsigned) { ++exits; }
[[gnu::noinline]] void note_loop_pass() {}

namespace {

__host__ __device__ int none(int n) { return n; }

__host__ __device__ int for_loop(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}

__host__ __device__ int range(int n) {
  int sum = 0;
  for (const int x : {n, 2, 3}) {
    sum += x;
  }
  return sum;
}

__host__ __device__ int while_loops(int n) {
  int passes = 0;
  while (n > 1) n /= 2, ++passes;
  while (--n > 0)
    ;
  return passes;
}

__host__ __device__ int do_loops(int n) {
  int passes = 0;
  do {
    ++passes;
  } while (--n > 0);
  do ++passes;
  while (--n > 0);
  return passes;
}

__host__ __device__ int nested(int n) {
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 3; ++i)
#pragma unroll 2
    for (int j = 0; j < n; ++j) {
      sum += i * j;
    }
  return sum;
}

__host__ __device__ int branches(int n) {
  int sum = 0;
  if (n > 3)
    for (int i = 0; i < n; ++i) ++sum;
  else
    while (n-- > 0) sum += 10;
  return sum;
}

__host__ __device__ int breaks(int n) {
  int i = 0;
  for (;; ++i) {
    if (i == 2) continue;
    if (i >= n) break;
  }
  return i;
}

__host__ __device__ int returns(int n) {
  while (true) {
    for (int i = 0;; ++i) {
      if (i * i >= n) return i;
    }
  }
  return -1;
}

__host__ __device__ int jumps(int n) {
again:
  for (int i = 0; i < n; ++i) {
    if (i == 3) {
      --n;
      goto again;
    }
  }
  return n;
}

__host__ __device__ int cases(int n) {
  int sum = 0;
  switch (n) {
    case 1:
      for (int i = 0; i < 3; ++i) ++sum;
      break;
    case 5:
      while (sum < 7) ++sum;
      [[fallthrough]];
    default:
      do {
        ++sum;
      } while (sum < 9);
  }
  return sum;
}

__host__ __device__ int lambdas(int n) {
  const auto count = [&](int most) {
    int passes = 0;
    while (passes < most && passes < n) ++passes;
    return passes;
  };
  return count(2) + count(100);
}

__host__ __device__ constexpr int factorial(int n) {
  int product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

__host__ __device__ int constants(int n) {
  constexpr int six = factorial(3);
  constexpr int three = [] {
    int passes = 0;
    while (passes < 3) ++passes;
    return passes;
  }();
  static_assert(factorial(4) == 24, "");
  return n + six + three;
}

template <class T>
struct Sum {
  __host__ __device__ Sum(T first) : value{first}, start{T{1}} {
    for (int i = 0; i < 2; ++i) value += start;
  }
  __host__ __device__ T operator()(int n) const {
    T sum = value;
    while (n-- > 0) sum += 2;
    return sum;
  }
  T value, start;
};

__host__ __device__ int members(int n) { return Sum<int>(1)(n); }

int host(int n) {
  for (int i = 0; i < 3; ++i) ++n;
  return n;
}

TEST(EveryLoop, TellsOfItsEndOnce) {
  const struct {
    const char* what;
    int (*function)(int);
    int result;
    int exits;
  } functions[] = {
      {"no loop", none, 5, 0},
      {"for", for_loop, 10, 1},
      {"for over a range", range, 10, 1},
      {"while", while_loops, 2, 2},
      {"do, and one without braces, which has no mark", do_loops, 6, 1},
      {"nested", nested, 30, 4},
      {"branches", branches, 5, 1},
      {"break", breaks, 5, 1},
      {"return out of two", returns, 3, 2},
      {"goto", jumps, 3, 3},
      {"switch", cases, 9, 2},
      {"lambdas", lambdas, 7, 2},
      {"constants", constants, 14, 0},
      {"members", members, 13, 2},
      {"host code", host, 8, 0},
  };
  for (const auto& f : functions) {
    SCOPED_TRACE(f.what);
    exits = 0;
    EXPECT_EQ(f.function(5), f.result);
    EXPECT_EQ(exits, f.exits);
  }
}

}  // namespace
}  // namespace tilewise::simt
