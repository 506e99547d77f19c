// Memory that host and kernels share, and what CUDA's library does for threads: the checks know of
// all of it what they know of loads, stores and barriers.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

namespace cg = cooperative_groups;

__global__ void doubles(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] *= 2.0f;  // fault
}

float* managed(int size) {
  float* x = nullptr;
  check(cudaMallocManaged(&x, size * sizeof(float)));
  for (int i = 0; i < size; ++i) x[i] = static_cast<float>(i);
  return x;
}

DEFECT(past_the_end_of_managed_memory, "out-of-bounds", "") {
  float* const x = managed(64);
  doubles<<<1, 128>>>(x, 64);
  cudaDeviceSynchronize();
  cudaFree(x);
}
DEFECT(past_the_end_of_pinned_memory, "out-of-bounds", "") {
  float* x = nullptr;
  check(cudaMallocHost(&x, 64 * sizeof(float)));
  for (int i = 0; i < 64; ++i) x[i] = 1.0f;
  doubles<<<1, 128>>>(x, 64);
  cudaDeviceSynchronize();
  cudaFreeHost(x);
}

__global__ void doubles_within(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}
CORRECT(managed_memory) {
  float* const x = managed(64);
  doubles_within<<<1, 128>>>(x, 64);
  check(cudaDeviceSynchronize());
  x[0] = 1.0f;
  doubles_within<<<1, 128>>>(x, 64);
  check(cudaDeviceSynchronize());
  cudaFree(x);
}
CORRECT(registered_memory) {
  static float x[64];
  float* seen = nullptr;
  check(cudaHostRegister(x, sizeof x, cudaHostRegisterMapped));
  check(cudaHostGetDevicePointer(&seen, x, 0));
  doubles_within<<<1, 128>>>(seen, 64);
  check(cudaDeviceSynchronize());
  check(cudaHostUnregister(x));
}

// Blocks read what others wrote before the grid's barrier.
__global__ void rotates_over_the_grid(const float* in, float* between, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  between[i] = in[i];
  cg::this_grid().sync();
  out[i] = between[(i + blockDim.x) % n];
  cg::this_grid().sync();
  between[(i + 2 * blockDim.x) % n] = 0.0f;
}
CORRECT(grid_barrier) {
  const Buffer<float> in("in", 256, Contents::input), between("between", 256, Contents::nothing);
  const Buffer<float> out("out", 256, Contents::nothing);
  const float* first = in.data();
  float *second = between.data(), *third = out.data();
  void* arguments[] = {&first, &second, &third};
  check(cudaLaunchCooperativeKernel((void*)rotates_over_the_grid, dim3(4), dim3(64), arguments, 0,
                                    nullptr));
}

// Groups whose masks share lanes with those that others are on their way into.
__global__ void groups_of_a_warp(const int* in, int* out) {
  __shared__ int values[64];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int mine = in[threadIdx.x];
  const auto odd = cg::binary_partition(tile, threadIdx.x % 3 == 0);
  int sum = cg::reduce(odd, mine, cg::plus<int>());
  const auto four = cg::tiled_partition<4>(tile);
  sum += cg::inclusive_scan(four, mine, cg::plus<int>());
  values[threadIdx.x] = sum;
  tile.sync();
  sum += values[threadIdx.x ^ 15];
  out[threadIdx.x] = sum + static_cast<int>(__match_any_sync(0xffffffffu, mine % 4)) +
                     static_cast<int>(__reduce_max_sync(0xffffffffu, static_cast<unsigned>(mine)));
}
CORRECT(groups_of_a_warp) {
  const Buffer<int> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  groups_of_a_warp<<<1, 64>>>(in.data(), out.data());
}

__global__ void copies_together(const int* in, int* out) {
  __shared__ alignas(16) int staged[128];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, staged, in + blockIdx.x * 128, sizeof staged);
  cg::wait(block);
  out[blockIdx.x * 128 + threadIdx.x] = staged[127 - threadIdx.x];
}
CORRECT(copies_of_a_group) {
  const Buffer<int> in("in", 256, Contents::input), out("out", 256, Contents::nothing);
  copies_together<<<2, 128>>>(in.data(), out.data());
}

// A tile of C for each of four warps.
__global__ void multiplies_by_fragments(const __half* A, const __half* B, float* C) {
  using namespace nvcuda;
  __shared__ __half staged[16 * 16];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) staged[i] = A[i];
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, staged, 16);
  wmma::load_matrix_sync(b, B, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C + threadIdx.x / 32 * 256, c, 16, wmma::mem_row_major);
}
CORRECT(fragments) {
  const Buffer<__half> A("A", 256, Contents::zeros), B("B", 256, Contents::zeros);
  const Buffer<float> C("C", 1024, Contents::nothing);
  multiplies_by_fragments<<<1, 128>>>(A.data(), B.data(), C.data());
}

// One half too many is loaded: a fragment reads as loads do.
__global__ void multiplies_beyond(const __half* A, float* C) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(b, A + 8, 16);  // fault
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
}
DEFECT(fragment_beyond_its_matrix, "out-of-bounds", "") {
  const Buffer<__half> A("A", 256, Contents::zeros);
  const Buffer<float> C("C", 256, Contents::nothing);
  multiplies_beyond<<<1, 32>>>(A.data(), C.data());
}

// Halves side by side, added to by all threads of all blocks.
__global__ void counts_in_halves(__half* counts) {
  atomicAdd(&counts[threadIdx.x % 2], __half(1.0f));
}
CORRECT(atomic_halves) {
  const Buffer<__half> counts("counts", 2, Contents::zeros);
  counts_in_halves<<<4, 64>>>(counts.data());
}

__global__ void reads_texture(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, static_cast<int>(threadIdx.x));
}
CORRECT(textures) {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in.data();
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 64 * sizeof(float);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  reads_texture<<<1, 64>>>(texture, out.data());
  check(cudaDeviceSynchronize());
  check(cudaDestroyTextureObject(texture));
}

}  // namespace
}  // namespace tilewise::defects
