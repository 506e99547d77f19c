// Memory that kernels take from the heap of the device, and give back.

#include <cstdlib>

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

constexpr int n = 8;

// Each thread has an array of its own.
__global__ void sums_of_own(int* out) {
  int* own = new int[n];
  for (int i = 0; i < n; ++i) own[i] = threadIdx.x + i;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += own[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  delete[] own;
}
CORRECT(an_array_of_each_thread) {
  const Buffer<int> out("out", 128, Contents::nothing);
  sums_of_own<<<2, 64>>>(out.data());
}

// What one launch makes the next ones use, and the last gives back.
struct List {
  int* elements;
  __device__ explicit List(int length) { elements = static_cast<int*>(malloc(length * sizeof(int))); }
  __device__ ~List() { free(elements); }
};
__global__ void makes(List** list) { *list = new List(64); }
__global__ void fills(List** list) { (*list)->elements[threadIdx.x] = threadIdx.x; }
__global__ void drops(List** list) { delete *list; }
CORRECT(a_list_from_launch_to_launch) {
  List** list = nullptr;
  check(cudaMalloc(&list, sizeof *list));
  makes<<<1, 1>>>(list);
  fills<<<1, 64>>>(list);
  drops<<<1, 1>>>(list);
  cudaFree(list);
}

// A block gives back what another is given later.
__global__ void takes_turns(int* out) {
  for (int i = 0; i < 4; ++i) {
    int* own = new int(i);
    out[blockIdx.x * blockDim.x + threadIdx.x] = *own;
    delete own;
  }
}
CORRECT(memory_that_is_given_out_again) {
  const Buffer<int> out("out", 256, Contents::nothing);
  takes_turns<<<8, 32>>>(out.data());
}

// Where the heap is used up, a null pointer says so.
__global__ void asks_for_much(int* out) {
  void* much = malloc(std::size_t{1} << 33);
  out[threadIdx.x] = much == nullptr;
  free(much);
}
CORRECT(more_than_there_is) {
  const Buffer<int> out("out", 32, Contents::nothing);
  asks_for_much<<<1, 32>>>(out.data());
}

__global__ void one_too_many(int* out) {
  int* own = new int[n];
  for (int i = 0; i <= n; ++i) own[i] = i;  // fault
  out[threadIdx.x] = own[0];
  delete[] own;
}
DEFECT(past_the_end_of_the_heaps, "out-of-bounds", "past the end of memory from the heap (32 bytes)") {
  const Buffer<int> out("out", 32, Contents::nothing);
  one_too_many<<<1, 32>>>(out.data());
}

__global__ void takes(int** own) { own[threadIdx.x] = static_cast<int*>(malloc(sizeof(int))); }

// A kernel of its own, for a compiler that sees an allocation and its first load together knows that
// the value is none, and clang leaves out both.
__global__ void reads(int** own, int* out) {
  out[threadIdx.x] = *own[threadIdx.x];  // fault
}
DEFECT(heap_that_nothing_has_written, "uninitialised", "memory from the heap") {
  const Buffer<int> out("out", 32, Contents::nothing);
  int** own = nullptr;
  check(cudaMalloc(&own, 32 * sizeof *own));
  takes<<<1, 32>>>(own);
  reads<<<1, 32>>>(own, out.data());
  cudaFree(own);
}

__global__ void gives_back(int** own) {
  free(own[threadIdx.x]);  // fault
}
DEFECT(given_back_twice, "host-pointer", "that was given back before") {
  int** own = nullptr;
  check(cudaMalloc(&own, 32 * sizeof *own));
  takes<<<1, 32>>>(own);
  gives_back<<<1, 32>>>(own);
  gives_back<<<1, 32>>>(own);
  cudaFree(own);
}

// All threads of two blocks use what one of them took, and nothing says who comes first.
__global__ void shares(int* out, int** shared) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *shared = new int(0);  // fault: other side
  out[blockIdx.x] = *shared != nullptr;                           // fault
}
DEFECT(a_pointer_handed_over_in_a_race, "race", "") {
  const Buffer<int> out("out", 2, Contents::nothing);
  int** shared = nullptr;
  check(cudaMalloc(&shared, sizeof *shared));
  check(cudaMemset(shared, 0, sizeof *shared));
  shares<<<2, 1>>>(out.data(), shared);
  cudaFree(shared);
}

}  // namespace
}  // namespace tilewise::defects
