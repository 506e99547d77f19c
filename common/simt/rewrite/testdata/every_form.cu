// Genuine CUDA with every form the rewriter knows. Its rewritten text is compiled as the host
// compiler's proof that the generated C++ is valid, and run with one thread a block.
#include <cuda_runtime.h>

#include <cstdio>
#include <type_traits>

template <class First, class Second>
struct Pair {
  First first;
  Second second;
};

__shared__ float file_scope[2][3];
extern __shared__ float file_scope_dynamic[];

namespace course {
__shared__ int in_namespace;

template <int Tile, class Real>
__global__ void tiles(Real* out, int n) {
  constexpr int padded = Tile + 1;
  enum { twice = 2 * padded };
  __shared__ Real As[Tile][padded], Bs[twice], *row;
  static __shared__ Pair<Real, int> pairs[(Tile > 4) ? Tile : 4];
  volatile __shared__ float sum;
  __shared__ alignas(16) unsigned char bytes[sizeof(As) / sizeof(As[0][0])];
  row = As[1];
  sum = 0;
#pragma unroll Tile
  for (int k = 0; k < n; ++k) sum = sum + 1;
#pragma unroll
  for (int k = 0; k < Tile; ++k) As[1][k] = Real(k);
  _Pragma("unroll 1") for (int k = 0; k < twice; ++k) Bs[k] = 2;
#pragma unroll
  pairs[2].second = int(row[Tile - 1]);
  bytes[0] = 1;
  *out = Real(sum) + pairs[2].second + Bs[twice - 1] + bytes[0];
}

template <class Real>
__global__ void dynamic(Real* out) {
  extern __shared__ __align__(16) unsigned char raw[];
  extern __shared__ float rows[][4], flat[];
  Real* const values = reinterpret_cast<Real*>(raw);
  rows[1][1] = 5;
  values[0] = Real(flat[5]);
  *out = values[0];
}
}  // namespace course

__device__ __noinline__ float four() { return 4; }

__global__ void names(float* out) {
  file_scope[1][2] = 1;
  file_scope_dynamic[3] = 2;
  course::in_namespace = 3;
  __shared__ struct { float x, y; } point;
  auto nested = [&] {
    __shared__ float inner[2];
    inner[1] = four();
    return inner[1];
  };
  point.y = nested();
  *out = file_scope[1][2] + file_scope_dynamic[3] + course::in_namespace + point.y;
}

__global__ void defaulted(float* out, float value = 7) { *out = value; }

template <class Real>
__global__ void deduced(Real* out, const Real* in) {
  *out = *in;
}

using Launchable = void (*)(float*);
struct Chooser {
  Launchable kernel;
};
static int choices = 0;
static Launchable choose() {
  ++choices;
  return names;
}

static int failures = 0;
static void expect(const char* what, const float* out, float expected) {
  float value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  if (value == expected) return;
  std::printf("%s: %g, expected %g\n", what, value, expected);
  ++failures;
}

template <int... Tiles>
static void launch_each(float* out) {
  (course::tiles<Tiles, float><<<1, 1>>>(out, Tiles), ...);
}

template <class Real>
static void launch_dependent(Real* out) {
  constexpr int tile = sizeof(Real) * 2;
  course::tiles<tile, Real><<<dim3(1), dim3(1)>>>(out, tile);
}

int main() {
  const float nine = 9;
  float* out;
  float* in;
  cudaMalloc(reinterpret_cast<void**>(&out), sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&in), sizeof(float));
  cudaMemcpy(in, &nine, sizeof(nine), cudaMemcpyHostToDevice);

  launch_each<8, 22>(out);
  expect("tiles<22>", out, 22 + 21 + 2 + 1);
  launch_dependent(out);
  expect("tiles<sizeof(Real) * 2>", out, 8 + 7 + 2 + 1);
  constexpr int tile = 16;
  [&](auto selected) {
    course::tiles<decltype(selected)::value, float><<<1, 1>>>(out, 1);
  }(std::integral_constant<int, tile>{});
  expect("tiles from a generic lambda", out, 1 + 15 + 2 + 1);
  course::dynamic<float><<<{1, 1}, 1, 16 * sizeof(float)>>>(out);
  expect("dynamic", out, 5);
  names<<<1, 1, 16 * sizeof(float), nullptr>>>(out);
  expect("names", out, 10);
  defaulted<<<1, 1>>>(out);
  expect("a default argument", out, 7);
  deduced<<<1, 1>>>(out, in);
  expect("deduced template arguments", out, 9);

  Launchable table[] = {names, names};
  Chooser chooser{names};
  Chooser* pointer = &chooser;
  nine > 0 ? table[1]<<<1, 1, 64>>>(out) : (*table[0])<<<2, 1, 64>>>(out);
  expect("a table of kernels", out, 10);
  if (failures == 0) chooser.kernel<<<1, 1, 64>>>(out), pointer->kernel<<<1, (64 >> 6), 64>>>(out);
  choose()<<<1, 1, 64>>>(out);
  expect("kernels chosen at run time", out, 10);
  if (choices != 1) ++failures;
  ::names<<<1,  // one block
            1, 16 * sizeof(float)>>>(out);
  expect("a launch over many lines", out, 10);
  return failures;
}
