/// \file
/// Rates of a stage's function in several styles, side by side on a GPU, for minima of speed
/// (docs/decisions/0030). Built and run by hand, from the repository's root:
///
///   nvcc -O2 -arch=native -o styles_on_gpu grading/benchmark/styles_on_gpu.cu -ldl
///   nvcc -std=c++17 -O3 -arch=native -shared -Xcompiler -fPIC -I labs/NN_topic
///        -o NAME.so FOLDER/*.cu                        # for each style; `solution.so` is compared
///   ./styles_on_gpu N TILE *.so
///
/// One call of each in turn, five times after one that warms up, behind a flush of the L2 cache.
/// Prints the median rate, in GFLOPS or GB/s, and the per cent of the solution's.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

template <class T>
__global__ void fill(T* x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = unsigned(i) * 2654435761u ^ seed;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    x[i] = T(h % 1000) / T(1000) - T(0.5);
  }
}

// A well-conditioned triangle, and what nobody reads above it.
__global__ void condition(double* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < n; ++j) x[size_t(i) * n + j] /= n;
  x[size_t(i) * n + i] = 2;
}

struct Contender {
  std::string style, function;
  std::function<cudaError_t()> call;
  double work;
  std::vector<double> ms;

  double rate() const { return work / ms[ms.size() / 2] * 1e-6; }
};

using Product = cudaError_t (*)(const float*, const float*, float*, int);
using Tiled = cudaError_t (*)(const float*, const float*, float*, int, int);
using Grid = cudaError_t (*)(const float*, const float*, float*, int, dim3);
using RxRy = cudaError_t (*)(const float*, const float*, float*, int, int, int, int);
using Transpose = cudaError_t (*)(float*, const float*, int, int);
using Dgemm = cudaError_t (*)(int, int, int, double, const double*, int, const double*, int, double,
                              double*, int);
using Dtrsm = cudaError_t (*)(int, int, double, const double*, int, double*, int);

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int n = std::atoi(argv[1]), tile = std::atoi(argv[2]);
  const size_t elements = size_t(n) * n;
  float *A, *B, *C;
  double *DA, *DB, *DC;
  for (float** matrix : {&A, &B, &C}) cudaMalloc(matrix, elements * sizeof(float));
  for (double** matrix : {&DA, &DB, &DC}) cudaMalloc(matrix, elements * sizeof(double));
  fill<<<1024, 256>>>(A, elements, 1);
  fill<<<1024, 256>>>(B, elements, 2);
  fill<<<1024, 256>>>(DA, elements, 3);
  condition<<<(n + 255) / 256, 256>>>(DA, n);
  int l2_bytes = 0;
  cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0);
  char* flushed = nullptr;
  cudaMalloc(&flushed, 2 * size_t(l2_bytes));

  std::vector<Contender> contenders;
  const double product = 2.0 * n * n * n;
  for (int i = 3; i < argc; ++i) {
    void* const module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    std::string style = argv[i];
    style = style.substr(style.rfind('/') + 1);
    style = style.substr(0, style.size() - 3);
    const auto add = [&](const char* function, const char* symbol, double work, auto&& call_of) {
      if (void* const address = dlsym(module, symbol)) {
        contenders.push_back({style, function, call_of(address), work, {}});
      }
    };
    const auto of_order = [=](void* f) { return [=] { return Product(f)(A, B, C, n); }; };
    const auto tiled = [=](void* f) { return [=] { return Tiled(f)(A, B, C, n, tile); }; };
    const auto transpose = [=](void* f) { return [=] { return Transpose(f)(C, A, n, n); }; };
    const auto dgemm = [=](void* f) {
      return [=] { return Dgemm(f)(n, n, n, 1.0, DA, n, DB, n, 0.0, DC, n); };
    };
    const auto dtrsm = [=](void* f) { return [=] { return Dtrsm(f)(n, n, 1.0, DA, n, DB, n); }; };
    add("matmul_grid", "_Z11matmul_gridPKfS0_Pfi4dim3", product,
        [=](void* f) { return [=] { return Grid(f)(A, B, C, n, dim3(32, 16)); }; });
    add("matmul_shared", "_Z13matmul_sharedPKfS0_Pfii", product, tiled);
    add("matmul_prefetch_register", "_Z24matmul_prefetch_registerPKfS0_Pfii", product, tiled);
    add("matmul_prefetch_shared", "_Z22matmul_prefetch_sharedPKfS0_Pfii", product, tiled);
    add("matmul_2x2", "_Z10matmul_2x2PKfS0_Pfii", product, tiled);
    add("matmul_2x2_strided", "_Z18matmul_2x2_stridedPKfS0_Pfii", product, tiled);
    add("matmul_rx_ry(16, 4, 4)", "_Z12matmul_rx_ryPKfS0_Pfiiii", product,
        [=](void* f) { return [=] { return RxRy(f)(A, B, C, n, 16, 4, 4); }; });
    add("matmul_auto", "_Z11matmul_autoPKfS0_Pfi", product, of_order);
    for (const char* name : {"15transpose_tiled", "16transpose_padded", "18transpose_diagonal"}) {
      add(name + 2, ("_Z" + std::string(name) + "PfPKfii").c_str(), 2.0 * elements * sizeof(float),
          transpose);
    }
    add("dgemm_global", "_Z12dgemm_globaliiidPKdiS0_idPdi", product, dgemm);
    add("dgemm_shared", "_Z12dgemm_sharediiidPKdiS0_idPdi", product, dgemm);
    add("dtrsm_blocked", "_Z13dtrsm_blockediidPKdiPdi", product / 2, dtrsm);
    add("dtrsm_recursive", "_Z15dtrsm_recursiveiidPKdiPdi", product / 2, dtrsm);
    add("matmul_two_rows", "_Z15matmul_two_rowsPKfS0_Pfi", product, of_order);
    add("matmul_rank1", "_Z12matmul_rank1PKfS0_Pfi", product, of_order);
  }

  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  constexpr int warm_ups = 1, rounds = 5;
  for (int round = -warm_ups; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      fill<<<1024, 256>>>(DB, elements, 4);  // a system is solved in place
      cudaDeviceSynchronize();
      for (int i = 0; i < 4; ++i) cudaMemsetAsync(flushed, 0, 2 * size_t(l2_bytes));
      cudaEventRecord(start);
      const cudaError_t status = contender.call();
      cudaDeviceSynchronize();
      cudaEventRecord(stop);
      cudaEventSynchronize(stop);
      if (status != cudaSuccess || cudaGetLastError() != cudaSuccess) {
        std::fprintf(stderr, "%s of %s failed\n", contender.function.c_str(),
                     contender.style.c_str());
        return 1;
      }
      float ms = 0;
      cudaEventElapsedTime(&ms, start, stop);
      if (round >= 0) contender.ms.push_back(ms);
    }
  }
  for (Contender& contender : contenders) std::sort(contender.ms.begin(), contender.ms.end());
  for (const Contender& contender : contenders) {
    const auto solution =
        std::find_if(contenders.begin(), contenders.end(), [&](const Contender& other) {
          return other.style == "solution" && other.function == contender.function;
        });
    const double rate = contender.rate();
    std::printf("%s | %s | %.0f | %.1f%%\n", contender.function.c_str(), contender.style.c_str(),
                rate, solution == contenders.end() ? 0.0 : 100 * rate / solution->rate());
  }
}
