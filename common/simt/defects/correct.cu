// Kernels without a fault, in the styles that a checker is most easily wrong about.

#include <vector>

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// All lanes read one word, of global and of shared memory.
__global__ void all_read_one_word(const float* in, float* out) {
  __shared__ float values[128];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float sum = in[0];
  for (int k = 0; k < 128; ++k) sum += values[k];
  out[threadIdx.x] = sum;
}
CORRECT(all_read_one_word) {
  const Buffer<float> in("in", 128, Contents::input), out("out", 128, Contents::nothing);
  all_read_one_word<<<1, 128>>>(in.data(), out.data());
}

// Shared memory may be declared outside of a kernel, and each block of each launch has it.
__shared__ float at_file_scope[64];

__global__ void reverses_at_file_scope(const float* in, float* out) {
  const int first = blockIdx.x * 64;
  at_file_scope[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  out[first + threadIdx.x] = at_file_scope[63 - threadIdx.x];
}
// Another kernel comes to it unannounced.
__global__ void rotates_at_file_scope(const float* in, float* out) {
  const int first = blockIdx.x * 64;
  at_file_scope[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  out[first + threadIdx.x] = at_file_scope[(threadIdx.x + 1) % 64];
}
CORRECT(reverses_at_file_scope) {
  const Buffer<float> in("in", 512, Contents::input), out("out", 512, Contents::nothing);
  for (int launch = 0; launch < 2; ++launch) {
    reverses_at_file_scope<<<8, 64>>>(in.data(), out.data());
    rotates_at_file_scope<<<8, 64>>>(in.data(), out.data());
  }
}

// Whoever finds something says so: all store the same value.
__global__ void all_store_one_value(const int* in, int* out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] > 20) found = 1;
  __syncthreads();
  out[threadIdx.x] = found;
}
CORRECT(all_store_one_value) {
  const Buffer<int> in("in", 100, Contents::input), out("out", 100, Contents::nothing);
  all_store_one_value<<<1, 100>>>(in.data(), out.data());
}

__global__ void blocks_store_one_value(const int* in, int* found) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] > 20) *found = 1;
}
CORRECT(blocks_store_one_value) {
  const Buffer<int> in("in", 256, Contents::input), found("found", 1, Contents::zeros);
  blocks_store_one_value<<<4, 64>>>(in.data(), found.data());
}

// A histogram in shared memory, added up in global memory.
__global__ void histogram(const unsigned char* values, int* bins, int n) {
  __shared__ int own_bins[128];
  own_bins[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own_bins[values[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own_bins[threadIdx.x]);
}
CORRECT(histogram_with_atomics) {
  const Buffer<unsigned char> values("values", 500, Contents::input);
  const Buffer<int> bins("bins", 128, Contents::zeros);
  histogram<<<4, 128>>>(values.data(), bins.data(), 500);
}

// Threads that have returned are not waited for.
__global__ void early_exit(const float* in, float* out, int n) {
  __shared__ float values[128];
  const int i = threadIdx.x;
  values[i] = in[i];
  __syncthreads();
  if (i >= n) return;
  const float mirrored = values[127 - i];
  __syncthreads();
  values[i] = mirrored;
  __syncthreads();
  out[i] = values[n - 1 - i];
}
CORRECT(early_exit_before_barriers) {
  const Buffer<float> in("in", 128, Contents::input), out("out", 40, Contents::nothing);
  early_exit<<<1, 128>>>(in.data(), out.data(), 40);
}

// The tiled product of any order: edges filled with zeros, a barrier either side of the sum.
template <int Tile>
__global__ void product(const float* A, const float* B, float* C, int n) {
  __shared__ float As[Tile][Tile], Bs[Tile][Tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * Tile + y, col = blockIdx.x * Tile + x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += Tile) {
    As[y][x] = row < n && k0 + x < n ? A[row * n + k0 + x] : 0.0f;
    Bs[y][x] = k0 + y < n && col < n ? B[(k0 + y) * n + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum += As[y][k] * Bs[k][x];
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = sum;
}
CORRECT(tiled_product) {
  const Buffer<float> A("A", 37, 37, Contents::input), B("B", 37, 37, Contents::input);
  const Buffer<float> C("C", 37, 37, Contents::nothing);
  product<16><<<dim3(3, 3), dim3(16, 16)>>>(A.data(), B.data(), C.data(), 37);
}

// Two pairs of tiles in turn, and one barrier a step.
__global__ void product_in_two_buffers(const double* A, const double* B, double* C, int n) {
  __shared__ double As[2][8][8], Bs[2][8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
  As[0][y][x] = A[row * n + x];
  Bs[0][y][x] = B[y * n + col];
  double sum = 0;
  for (int k0 = 0, now = 0; k0 < n; k0 += 8, now = 1 - now) {
    __syncthreads();
    if (k0 + 8 < n) {
      As[1 - now][y][x] = A[row * n + k0 + 8 + x];
      Bs[1 - now][y][x] = B[(k0 + 8 + y) * n + col];
    }
    for (int k = 0; k < 8; ++k) sum += As[now][y][k] * Bs[now][k][x];
  }
  C[row * n + col] = sum;
}
CORRECT(double_buffering_with_one_barrier) {
  const Buffer<double> A("A", 32, 32, Contents::input), B("B", 32, 32, Contents::input);
  const Buffer<double> C("C", 32, 32, Contents::nothing);
  product_in_two_buffers<<<dim3(4, 4), dim3(8, 8)>>>(A.data(), B.data(), C.data(), 32);
}

// The next tile waits in registers; none is fetched behind the last.
__global__ void prefetches_into_registers(const float* in, float* out, int tiles) {
  __shared__ float tile[64];
  float next = in[threadIdx.x], sum = 0;
  for (int i = 0; i < tiles; ++i) {
    tile[threadIdx.x] = next;
    __syncthreads();
    if (i + 1 < tiles) next = in[(i + 1) * 64 + threadIdx.x];
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
CORRECT(prefetch_into_registers) {
  const Buffer<float> in("in", 256, Contents::input), out("out", 64, Contents::nothing);
  prefetches_into_registers<<<1, 64>>>(in.data(), out.data(), 4);
}

// Warps add up by shuffles, then warp 0 what they left in shared memory.
__device__ float sum_of_warp(float value) {
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffffu, value, delta);
  return value;
}
__global__ void sums_by_shuffles(const float* in, float* out) {
  __shared__ float partial[32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float sum = sum_of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  const float total = sum_of_warp(lane < blockDim.x / 32 ? partial[lane] : 0.0f);
  if (lane == 0) out[blockIdx.x] = total;
}
CORRECT(sum_by_shuffles) {
  const Buffer<float> in("in", 768, Contents::input), out("out", 3, Contents::nothing);
  sums_by_shuffles<<<3, 256>>>(in.data(), out.data());
}

// The warp-synchronous sum done right: read, wait, write, wait.
__global__ void sums_a_warp(const float* in, float* out) {
  __shared__ volatile float partial[64];
  const unsigned lane = threadIdx.x;
  partial[lane] = in[lane];
  partial[lane + 32] = in[lane + 32];
  __syncwarp();
  for (unsigned width = 32; width > 0; width /= 2) {
    const float sum = partial[lane] + partial[lane + width];
    __syncwarp();
    if (lane < width) partial[lane] = sum;
    __syncwarp();
  }
  if (lane == 0) out[0] = partial[0];
}
CORRECT(volatile_sum_with_syncwarp) {
  const Buffer<float> in("in", 64, Contents::input), out("out", 1, Contents::nothing);
  sums_a_warp<<<1, 32>>>(in.data(), out.data());
}

// Halves of a warp go their own ways, each with its own mask.
__global__ void halves_apart(const int* in, int* out) {
  __shared__ int values[32];
  const unsigned lane = threadIdx.x;
  const unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  for (unsigned round = 0; round <= lane / 16; ++round) {
    values[lane] = in[lane] + static_cast<int>(round);
    __syncwarp(half);
    const int mirrored = values[lane ^ 15];
    __syncwarp(half);
    values[lane] = mirrored;
  }
  out[lane] = values[lane] + __shfl_xor_sync(half, values[lane], 1);
}
CORRECT(partial_masks) {
  const Buffer<int> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  halves_apart<<<1, 32>>>(in.data(), out.data());
}

// Bytes by their owners, words by others after the barrier.
__global__ void bytes_then_words(const unsigned char* in, unsigned* out) {
  __shared__ __align__(4) unsigned char bytes[128];
  bytes[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = reinterpret_cast<const unsigned*>(bytes)[threadIdx.x];
}
CORRECT(bytes_then_words) {
  const Buffer<unsigned char> in("in", 128, Contents::input);
  const Buffer<unsigned> out("out", 32, Contents::nothing);
  bytes_then_words<<<1, 128>>>(in.data(), out.data());
}

// Neighbouring bytes of one word, by threads of different warps and of different blocks.
__global__ void neighbouring_bytes(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char bytes[128];
  const int swapped = threadIdx.x % 4 * 32 + threadIdx.x / 4;
  bytes[swapped] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x * gridDim.x + blockIdx.x] = bytes[threadIdx.x];
}
CORRECT(neighbouring_bytes) {
  const Buffer<unsigned char> in("in", 128, Contents::input), out("out", 384, Contents::nothing);
  neighbouring_bytes<<<3, 128>>>(in.data(), out.data());
}

// Through a tile with a column of padding, which nobody writes and nobody reads.
__global__ void transposes(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (col < cols && row + i < rows) {
      tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * cols + col];
    }
  }
  __syncthreads();
  const int out_col = blockIdx.y * 32 + threadIdx.x, out_row = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (out_col < rows && out_row + i < cols) {
      out[(out_row + i) * rows + out_col] = tile[threadIdx.x][threadIdx.y + i];
    }
  }
}
CORRECT(padded_transpose) {
  const Buffer<float> in("in", 45, 70, Contents::input), out("out", 70, 45, Contents::nothing);
  transposes<<<dim3(3, 2), dim3(32, 8)>>>(out.data(), in.data(), 45, 70);
}

// Structures with holes between their members, whole and by member.
struct Particle {
  double mass;
  float position[3];
  unsigned char kind;
};
__global__ void moves_particles(const float* in, float* out) {
  __shared__ Particle particles[64];
  const int i = threadIdx.x;
  Particle own = {};
  own.mass = in[i];
  own.kind = static_cast<unsigned char>(i);
  particles[i] = own;
  particles[i].position[1] = 2.0f * in[i];
  __syncthreads();
  const Particle other = particles[63 - i];
  out[i] = other.position[1] + static_cast<float>(other.mass) + static_cast<float>(other.kind);
}
CORRECT(structures_in_shared_memory) {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  moves_particles<<<1, 64>>>(in.data(), out.data());
}

// Aligned to less than their size, they may lie anywhere that their members may.
struct LoosePair {
  float x, y;
};
struct Letters {
  unsigned char letters[6];
};
__global__ void copies_loose_structures(const float* in, float* out, const unsigned char* text,
                                        unsigned char* copy) {
  const int i = threadIdx.x;
  const LoosePair pair = reinterpret_cast<const LoosePair*>(in + 1)[i];
  reinterpret_cast<LoosePair*>(out + 1)[i] = pair;
  reinterpret_cast<Letters*>(copy + 1)[i] = reinterpret_cast<const Letters*>(text + 3)[i];
}
CORRECT(loose_structures_at_odd_addresses) {
  const Buffer<float> in("in", 65, Contents::input), out("out", 65, Contents::nothing);
  const Buffer<unsigned char> text("text", 195, Contents::input);
  const Buffer<unsigned char> copy("copy", 193, Contents::nothing);
  copies_loose_structures<<<1, 32>>>(in.data(), out.data(), text.data(), copy.data());
}

// A running sum in 1-D blocks of 100: two arrays change roles through their pointers.
__global__ void running_sum(const float* in, float* out) {
  __shared__ float first[100], second[100];
  float *from = first, *to = second;
  const int i = threadIdx.x, offset = blockIdx.x * 100;
  from[i] = in[offset + i];
  for (int distance = 1; distance < 100; distance *= 2) {
    __syncthreads();
    to[i] = i >= distance ? from[i] + from[i - distance] : from[i];
    float* const other = from;
    from = to;
    to = other;
  }
  out[offset + i] = from[i];
}
CORRECT(ping_pong_of_pointers) {
  const Buffer<float> in("in", 300, Contents::input), out("out", 300, Contents::nothing);
  running_sum<<<3, 100>>>(in.data(), out.data());
}

__global__ void grid_stride(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = 2 * in[i];
  }
}
CORRECT(grid_stride_loop) {
  const Buffer<float> in("in", 1000, Contents::input), out("out", 1000, Contents::nothing);
  grid_stride<<<3, 64>>>(in.data(), out.data(), 1000);
}

// Kernels in a row: the end of a launch is a barrier of all blocks.
__global__ void shifts(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[(i + 1) % n];
}
CORRECT(kernels_in_a_row) {
  const Buffer<float> in("in", 200, Contents::input), a("a", 200, Contents::nothing);
  const Buffer<float> b("b", 200, Contents::nothing);
  shifts<<<4, 64>>>(in.data(), a.data(), 200);
  shifts<<<4, 64>>>(a.data(), b.data(), 200);
  shifts<<<4, 64>>>(b.data(), a.data(), 200);
}

// The votes of a barrier are a barrier.
__global__ void votes(const int* in, int* out) {
  __shared__ int values[100];
  const int i = threadIdx.x;
  values[i] = in[i];
  const int many = __syncthreads_count(in[i] > 50);
  const int mirrored = values[99 - i];
  const int all = __syncthreads_and(mirrored > 0);
  values[i] = mirrored;
  const int any = __syncthreads_or(mirrored > 99);
  out[i] = values[99 - i] + many + all + any;
}
CORRECT(votes_of_a_barrier) {
  const Buffer<int> in("in", 100, Contents::input), out("out", 100, Contents::nothing);
  votes<<<1, 100>>>(in.data(), out.data());
}

// An output to add to, cleared by cudaMemset.
__global__ void adds_up(const float* in, float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] += in[i];
}
CORRECT(adds_to_a_cleared_output) {
  const Buffer<float> in("in", 100, Contents::input), C("C", 100, Contents::nothing);
  check(cudaMemset(C.data(), 0, 100 * sizeof(float)));
  adds_up<<<4, 32>>>(in.data(), C.data(), 100);
  adds_up<<<4, 32>>>(in.data(), C.data(), 100);
}
CORRECT(adds_to_a_copied_output) {
  const Buffer<float> in("in", 100, Contents::input), C("C", 100, Contents::nothing);
  const std::vector<float> start(100, 1.0f);
  check(cudaMemcpy(C.data(), start.data(), 100 * sizeof(float), cudaMemcpyHostToDevice));
  adds_up<<<4, 32>>>(in.data(), C.data(), 100);
}

// The last block to finish adds up what all have left (CUDA samples, threadFenceReduction).
__global__ void last_block_sums(const float* in, float* partial, unsigned* finished, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = 2 * in[blockIdx.x];
    __threadfence();
    last = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += static_cast<volatile float*>(partial)[i];
    *out = sum;
  }
}
CORRECT(last_block_adds_up) {
  const Buffer<float> in("in", 8, Contents::input), partial("partial", 8, Contents::nothing);
  const Buffer<unsigned> finished("finished", 1, Contents::zeros);
  const Buffer<float> out("out", 1, Contents::nothing);
  last_block_sums<<<8, 32>>>(in.data(), partial.data(), finished.data(), out.data());
}

// One thread of each block at a time may add.
__global__ void adds_under_a_lock(const float* in, volatile float* sum, int* lock) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum = *sum + in[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}
CORRECT(sum_under_a_lock) {
  const Buffer<float> in("in", 8, Contents::input), sum("sum", 1, Contents::zeros);
  const Buffer<int> lock("lock", 1, Contents::zeros);
  adds_under_a_lock<<<8, 32>>>(in.data(), sum.data(), lock.data());
}

// Vectors of four floats and of two doubles, written and read as such and one by one.
__global__ void vectors(const float4* in, float* out, double2* pairs) {
  __shared__ __align__(16) float values[128];
  const int i = threadIdx.x;
  reinterpret_cast<float4*>(values)[i] = in[i];
  __syncthreads();
  for (int k = 0; k < 4; ++k) out[k * 32 + i] = values[k * 32 + i];
  pairs[i] = make_double2(values[i], values[127 - i]);
}
CORRECT(vectors_and_scalars) {
  const Buffer<float> in("in", 128, Contents::input), out("out", 128, Contents::nothing);
  const Buffer<double> pairs("pairs", 64, Contents::nothing);
  vectors<<<1, 32>>>(reinterpret_cast<const float4*>(in.data()), out.data(),
                     reinterpret_cast<double2*>(pairs.data()));
}

// Blocks and threads with a z, a rim of zeros around what they share.
__global__ void box_stencil(const float* in, float* out, int edge) {
  __shared__ float box[6][6][6];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int i = ((blockIdx.z * 4 + z) * edge + blockIdx.y * 4 + y) * edge + blockIdx.x * 4 + x;
  for (int k = (z * 4 + y) * 4 + x; k < 216; k += 64) (&box[0][0][0])[k] = 0.0f;
  __syncthreads();
  box[z + 1][y + 1][x + 1] = in[i];
  __syncthreads();
  out[i] = box[z][y + 1][x + 1] + box[z + 2][y + 1][x + 1] + box[z + 1][y][x + 1] +
           box[z + 1][y + 2][x + 1] + box[z + 1][y + 1][x] + box[z + 1][y + 1][x + 2];
}
CORRECT(box_stencil) {
  const Buffer<float> in("in", 512, Contents::input), out("out", 512, Contents::nothing);
  box_stencil<<<dim3(2, 2, 2), dim3(4, 4, 4)>>>(in.data(), out.data(), 8);
}

// Dynamic shared memory carved into doubles and bytes.
template <class T>
__global__ void carves(const T* in, T* out, unsigned char* tags) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* values = reinterpret_cast<T*>(memory);
  unsigned char* marks = memory + blockDim.x * sizeof(T);
  const int i = threadIdx.x, last = blockDim.x - 1;
  values[i] = in[i];
  marks[i] = static_cast<unsigned char>(i);
  __syncthreads();
  out[i] = values[last - i];
  tags[i] = marks[last - i];
}
CORRECT(carved_dynamic_memory) {
  const Buffer<double> in("in", 100, Contents::input), out("out", 100, Contents::nothing);
  const Buffer<unsigned char> tags("tags", 100, Contents::nothing);
  carves<double><<<1, 100, 100 * sizeof(double) + 100>>>(in.data(), out.data(), tags.data());
}

// A thread's own array is its own, also for a function that gets a pointer to it.
__device__ void sort(float* values, int count) {
  for (int i = 1; i < count; ++i) {
    for (int k = i; k > 0 && values[k] < values[k - 1]; --k) {
      const float lower = values[k];
      values[k] = values[k - 1];
      values[k - 1] = lower;
    }
  }
}
__global__ void medians(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  float window[5];
  for (int k = 0; k < 5; ++k) window[k] = in[(i * 7 + k * 13) % n];
  sort(window, 5);
  out[i] = window[2];
}
CORRECT(arrays_of_a_thread) {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  medians<<<1, 64>>>(in.data(), out.data(), 64);
}

// Constants and variables of the file.
__constant__ float weights[4];
__device__ int visits;
__global__ void uses_symbols(const float* in, float* out) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += weights[k] * in[threadIdx.x];
  out[threadIdx.x] = sum;
  atomicAdd(&visits, 1);
}
CORRECT(constants_and_device_variables) {
  const float host_weights[4] = {1, 2, 3, 4};
  check(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  uses_symbols<<<1, 64>>>(in.data(), out.data());
}

// Parameters in constant memory, which lanes look up each its own way; tables of the host's; and
// the last block to finish, by a ticket, adds up what all have left in device memory.
__constant__ int order[4] = {3, 1, 0, 2};
__device__ unsigned tickets;
__device__ float part_sums[8];
__global__ void last_block_adds_up(const float* in, float* sum) {
  constexpr float scales[4] = {1, 0.5f, 0.25f, 2};
  __shared__ bool is_last;
  static __device__ int finished;
  if (threadIdx.x == 0) {
    const int i = order[blockIdx.x % 4];
    part_sums[blockIdx.x] = in[4 * blockIdx.x + i] * scales[i];
    __threadfence();
    is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  __threadfence();
  float total = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) total += part_sums[block];
  *sum = total;
  tickets = 0;
  finished = finished + 1;
}
CORRECT(last_block_adds_up_device_variables) {
  const Buffer<float> in("in", 32, Contents::input), sum("sum", 1, Contents::nothing);
  last_block_adds_up<<<8, 32>>>(in.data(), sum.data());
}

// Dynamic shared memory of the file, which the rewriter makes a pointer of.
extern __shared__ float shared_by_the_file[];
__global__ void reverses_in_the_files_memory(const float* in, float* out) {
  shared_by_the_file[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = shared_by_the_file[63 - threadIdx.x];
}
CORRECT(dynamic_shared_memory_of_the_file) {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  reverses_in_the_files_memory<<<1, 64, 64 * sizeof(float)>>>(in.data(), out.data());
}

// Every thread adds its part to elements that start from zero.
__global__ void adds_to_columns(const float* in, float* out, int columns) {
  atomicAdd(&out[threadIdx.x % columns], in[blockIdx.x * blockDim.x + threadIdx.x]);
}
CORRECT(sums_by_atomics) {
  const Buffer<float> in("in", 256, Contents::input), out("out", 16, Contents::zeros);
  adds_to_columns<<<4, 64>>>(in.data(), out.data(), 16);
}

// In place: every element is read and written by one thread alone.
__global__ void in_place(float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = static_cast<float>(i);
  const auto twice = [&](int k) { return 2 * values[k]; };
  for (int round = 0; round < 3; ++round) values[i] = twice(i) + 1;
}
CORRECT(in_place_by_the_owner) {
  const Buffer<float> values("values", 128, Contents::nothing);
  in_place<<<4, 32>>>(values.data());
}

// The first half of each pair is written whole, the second byte by byte; both are read at once.
struct alignas(8) WordAndBytes {
  int word;
  unsigned char bytes[4];
};

__global__ void reads_words_and_bytes_at_once(const int* in, long long* out) {
  __shared__ WordAndBytes pairs[32];
  WordAndBytes& own = pairs[threadIdx.x];
  own.word = in[threadIdx.x];
  for (int i = 0; i < 4; ++i) own.bytes[i] = static_cast<unsigned char>(in[threadIdx.x] + i);
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<const long long*>(&pairs[31 - threadIdx.x]);
}
CORRECT(words_and_bytes_at_once) {
  const Buffer<int> in("in", 32, Contents::input);
  const Buffer<long long> out("out", 32, Contents::nothing);
  reads_words_and_bytes_at_once<<<1, 32>>>(in.data(), out.data());
}

// A return in the midst of rounds, and none at the end: all that are left come to each barrier.
__global__ void returns_in_the_third_round(const float* in, float* out) {
  __shared__ float values[64];
  values[threadIdx.x] = in[threadIdx.x];
  for (unsigned round = 0; round < 6; ++round) {
    __syncthreads();
    const float next = values[(threadIdx.x + 1) % 40];
    __syncthreads();
    if (round == 2 && threadIdx.x >= 40) return;
    values[threadIdx.x] = next;
  }
  out[threadIdx.x] = values[threadIdx.x];
}
CORRECT(return_amid_barriers) {
  const Buffer<float> in("in", 64, Contents::input), out("out", 40, Contents::nothing);
  returns_in_the_third_round<<<2, 64>>>(in.data(), out.data());
}

// Lanes of a branch that add to a counter by one atomic: `__activemask()` are those of the branch.
__device__ int place_for_one(int* counter) {
  const unsigned lanes = __activemask();
  const int leader = __ffs(static_cast<int>(lanes)) - 1, lane = threadIdx.x % 32;
  int first = 0;
  if (lane == leader) first = atomicAdd(counter, __popc(lanes));
  first = __shfl_sync(lanes, first, leader);
  return first + __popc(lanes & ((1u << lane) - 1));
}
__global__ void keeps_the_odd(const int* in, int* counter, int* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n && in[i] % 2 != 0) out[place_for_one(counter)] = in[i];
  __syncwarp();
  for (int k = 0; k < i % 3; ++k) {
    if ((i + k) % 2 == 0) out[place_for_one(counter)] = k;
  }
}
CORRECT(atomics_by_warp) {
  const Buffer<int> in("in", 200, Contents::input), counter("counter", 1, Contents::zeros);
  const Buffer<int> out("out", 600, Contents::nothing);
  keeps_the_odd<<<2, 100>>>(in.data(), counter.data(), out.data(), 190);
  int kept = 0;
  check(cudaMemcpy(&kept, counter.data(), sizeof kept, cudaMemcpyDeviceToHost));
  int all = 95;
  for (int block = 0; block < 2; ++block) {
    for (int i = 100 * block; i < 100 * block + 100; ++i) {
      for (int k = 0; k < i % 3; ++k) all += (i + k) % 2 == 0 ? 1 : 0;
    }
  }
  if (kept != all) throw std::runtime_error("lanes were lost or counted twice");
}

// Half a warp by itself, while the other half waits for all.
__global__ void half_then_all(const float* in, float* out) {
  float value = in[threadIdx.x];
  if (threadIdx.x < 16) {
    for (int delta = 8; delta > 0; delta /= 2) {
      value += __shfl_xor_sync(0x0000ffffu, value, delta);
    }
  }
  value += __shfl_xor_sync(0xffffffffu, value, 16);
  out[threadIdx.x] = value;
}
CORRECT(half_a_warp_then_all_of_it) {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  half_then_all<<<1, 32>>>(in.data(), out.data());
}

// Structures less aligned than the pieces that compilers copy them in.
struct Complex {
  float re, im;
};
struct Tagged {
  Complex z;
  float tag;
};
struct __attribute__((packed)) Packed {
  char tag;
  double value;
};
template <class T>
__global__ void copies_through_shared_memory(const T* in, T* out) {
  __shared__ T values[32];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  T value = values[31 - threadIdx.x];
  out[threadIdx.x] = value;
}
__global__ void moves_members(const Tagged* in, Tagged* out) {
  out[threadIdx.x].z = in[threadIdx.x].z;
  out[threadIdx.x].tag = 2.0f * in[threadIdx.x].tag;
}
__global__ void moves_packed_members(const Packed* in, Packed* out) {
  out[threadIdx.x].tag = in[threadIdx.x].tag;
  out[threadIdx.x].value = in[threadIdx.x].value + 1.0;
}
/// Twice: what was copied is read.
template <class T>
void twice(void (*kernel)(const T*, T*)) {
  const Buffer<unsigned char> in("in", 32 * sizeof(T), Contents::input);
  const Buffer<unsigned char> between("between", 32 * sizeof(T), Contents::nothing);
  const Buffer<unsigned char> out("out", 32 * sizeof(T), Contents::nothing);
  kernel<<<1, 32>>>(reinterpret_cast<const T*>(in.data()), reinterpret_cast<T*>(between.data()));
  kernel<<<1, 32>>>(reinterpret_cast<const T*>(between.data()), reinterpret_cast<T*>(out.data()));
}
CORRECT(structures_less_aligned_than_copies) {
  twice<short3>(copies_through_shared_memory<short3>);
  twice<uchar3>(copies_through_shared_memory<uchar3>);
  twice<Tagged>(copies_through_shared_memory<Tagged>);
  twice<Tagged>(moves_members);
#if !defined(__NVCC__) && !defined(__clang__)  // of which neither moves a double in pieces
  twice<Packed>(moves_packed_members);
#endif
}

}  // namespace
}  // namespace tilewise::defects
