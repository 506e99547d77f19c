// The host part does all that a program may: static objects with device memory, a table of kernels,
// structures as arguments, constant memory, streams, events, threads and output. It clears C, too.

#include "matmul_shared.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Matrices {
  const float* A;
  const float* B;
  float* C;
  int n;
};

struct Options {
  int scale;
  float offsets[3];
};

__constant__ Options options = {1, {0.0f, 0.0f, 0.0f}};
__device__ int visits;

template <int Tile>
__global__ void multiply(Matrices of) {
  extern __shared__ float tiles[];  // (2, Tile, Tile)
  float* const As = tiles;
  float* const Bs = tiles + Tile * Tile;
  const int tx = threadIdx.x, ty = threadIdx.y, n = of.n;
  const int row = blockIdx.y * Tile + ty, col = blockIdx.x * Tile + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += Tile) {
    As[ty * Tile + tx] = row < n && k0 + tx < n ? of.A[size_t(row) * n + k0 + tx] : 0.0f;
    Bs[ty * Tile + tx] = k0 + ty < n && col < n ? of.B[size_t(k0 + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum += As[ty * Tile + k] * Bs[k * Tile + tx];
    __syncthreads();
  }
  if (row < n && col < n) of.C[size_t(row) * n + col] = sum;
}

__global__ void fill(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = float(options.scale * i) + options.offsets[2];
  if (i == 0) visits = visits + 1;
}

void demand(bool holds, const char* what) {
  if (holds) return;
  std::printf("%s\n", what);
  std::abort();
}

// Device memory that lasts from before main() to exit().
class Scratch {
 public:
  Scratch() {
    demand(cudaMalloc(&values_, count * sizeof(float)) == cudaSuccess, "cudaMalloc");
    const Options wanted = {3, {0.0f, 0.0f, 0.5f}};
    demand(cudaMemcpyToSymbol(options, &wanted, sizeof wanted) == cudaSuccess, "to a symbol");
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaStreamCreate(&stream);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, stream);
    void (*kernel)(float*, int) = fill;
    kernel<<<1, count, 0, stream>>>(values_, count);
    demand(cudaGetLastError() == cudaSuccess, "a launch");
    cudaEventRecord(end, stream);
    demand(cudaStreamSynchronize(stream) == cudaSuccess, "a stream");
    demand(cudaEventSynchronize(end) == cudaSuccess, "an event");
    float ms = -1.0f;
    demand(cudaEventElapsedTime(&ms, begin, end) == cudaSuccess && ms >= 0.0f, "a time");
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(stream);
    look_at_memory();
    look_at_errors();
    look_at_the_device();
  }
  ~Scratch() { demand(cudaFree(values_) == cudaSuccess, "cudaFree"); }

 private:
  void look_at_memory() {
    std::vector<float> copy(count, -1.0f);
    cudaMemcpy(copy.data(), values_, count * sizeof(float), cudaMemcpyDeviceToHost);
    demand(copy[0] == 0.5f && copy[20] == 60.5f, "what a kernel has written");
    cudaMemset(values_, 0, 2 * sizeof(float));
    cudaMemcpy(values_ + 2, values_, sizeof(float), cudaMemcpyDeviceToDevice);
    float* pinned = nullptr;
    demand(cudaMallocHost(&pinned, 4 * sizeof(float)) == cudaSuccess, "cudaMallocHost");
    std::memset(pinned, 0xff, 4 * sizeof(float));
    cudaMemcpy2D(pinned, sizeof(float), values_, 2 * sizeof(float), sizeof(float), 2,
                 cudaMemcpyDefault);
    demand(pinned[0] == 0.0f && pinned[1] == 0.0f, "rows");
    cudaFreeHost(pinned);
    int seen = 0;
    demand(cudaMemcpyFromSymbol(&seen, visits, sizeof seen) == cudaSuccess && seen == 1,
           "from a symbol");
    std::size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    demand(free_bytes > 0 && free_bytes < total_bytes, "cudaMemGetInfo");
  }

  void look_at_errors() {
    fill<<<1, 4096>>>(values_, count);
    demand(cudaPeekAtLastError() == cudaErrorInvalidConfiguration, "an error is kept");
    demand(cudaGetLastError() == cudaErrorInvalidConfiguration, "an error is told");
    demand(cudaGetLastError() == cudaSuccess, "once");
    demand(cudaMemcpy(nullptr, values_, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue, "null");
    demand(cudaMemcpyToSymbol(visits, &values_, 400) == cudaErrorInvalidValue, "beyond a symbol");
    demand(cudaGetLastError() == cudaErrorInvalidValue, "the last of several");
    demand(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue", "name");
    void* too_much = nullptr;
    demand(cudaMalloc(&too_much, std::size_t(1) << 50) == cudaErrorMemoryAllocation, "too much");
    cudaGetLastError();
  }

  void look_at_the_device() {
    cudaDeviceProp properties;
    demand(cudaGetDeviceProperties(&properties, 0) == cudaSuccess, "properties");
    int warp = 0;
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    demand(warp == 32 && properties.warpSize == 32, "a warp");
    cudaError_t of_thread = cudaErrorUnknown;
    std::thread([&] { of_thread = cudaMemset(values_, 0, sizeof(float)); }).join();
    demand(of_thread == cudaSuccess, "a thread");
  }

  static constexpr int count = 64;
  float* values_ = nullptr;
};

using Kernel = void (*)(Matrices);

const Scratch scratch;
const std::map<int, Kernel> kernels = {
    {8, multiply<8>}, {16, multiply<16>}, {22, multiply<22>}, {32, multiply<32>}};
std::vector<std::unique_ptr<std::string>> calls;

int edge_of(const std::string& text) {
  if (text.empty()) throw std::invalid_argument("no tile");
  return std::stoi(text);
}

struct Launch {
  Kernel kernel;
  dim3 grid, block;
  std::size_t shared_bytes;

  cudaError_t operator()(const Matrices& matrices) const {
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             int(shared_bytes)) != cudaSuccess) {
      return cudaGetLastError();
    }
    const std::size_t bytes = sizeof(float) * matrices.n * matrices.n;
    if (cudaMemset(matrices.C, 0, bytes) != cudaSuccess) return cudaGetLastError();
    kernel<<<grid, block, shared_bytes>>>(matrices);
    return cudaGetLastError();
  }
};

}  // namespace

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  calls.push_back(std::make_unique<std::string>(std::to_string(tile)));
  if (calls.size() == 1) std::printf("the first call: tile %s\n", calls.front()->c_str());
  try {
    tile = edge_of(*calls.back());
    if (tile < 0) edge_of("");
  } catch (const std::exception&) {
    return cudaErrorInvalidValue;
  }
  const auto found = kernels.find(tile);
  if (n < 0 || found == kernels.end()) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  const unsigned count = (n + tile - 1) / tile;
  const Launch launch = {found->second, dim3(count, count), dim3(tile, tile),
                         2 * sizeof(float) * tile * tile};
  return launch({A, B, C, n});
}
