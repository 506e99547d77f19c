// Instructions that a warp makes as a whole, and rows of matrices that are not there yet.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"
#include "labs/include/tilewise/ptx.hpp"

namespace tilewise::defects {
namespace {

template <void kernel(const uint4*, float*)>
void run() {
  const Buffer<float> in("in", 48 * 4, Contents::input), out("out", 32 * 4, Contents::nothing);
  kernel<<<1, 32>>>(reinterpret_cast<const uint4*>(in.data()), out.data());
}

// A (16, 16) and B (8, 16) transposed, halves: 32 and 16 rows of 16 bytes. What the lanes have of D
// goes to `out`.
__global__ void multiplies(const uint4* in, float* out) {
  __shared__ uint4 tile[48];  // rows of 16 bytes
  const int lane = threadIdx.x;
  ptx::cp_async<16>(&tile[lane], &in[lane]);
  if (lane < 16) ptx::cp_async<16>(&tile[32 + lane], &in[32 + lane]);
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  __syncthreads();
  unsigned a[4], b[2];
  ptx::ldmatrix_x4(a, &tile[lane]);
  ptx::ldmatrix_x2(b, &tile[32 + lane % 16]);
  float d[4] = {};
  ptx::mma_m16n8k16(d, a, b);
  for (int i = 0; i < 4; ++i) out[4 * lane + i] = d[i];
}
CORRECT(product_of_copied_tiles) { run<multiplies>(); }

__global__ void takes_the_lower_half(const uint4* in, float* out) {
  __shared__ uint4 tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float d[4] = {};
  if (threadIdx.x < 16) {
    unsigned a[4] = {}, b[2] = {};
    ptx::mma_m16n8k16(d, a, b);  // fault
  }
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i] + tile[threadIdx.x].x;
}
DEFECT(product_of_half_a_warp, "warp", "without lane 16, which has returned") {
  run<takes_the_lower_half>();
}

__global__ void loads_unwritten_rows(const uint4* in, float* out) {
  __shared__ uint4 tile[32];
  if (threadIdx.x < 24) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  unsigned r[4];
  ptx::ldmatrix_x4(r, &tile[threadIdx.x]);  // fault
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = __uint_as_float(r[i]);
}
DEFECT(ldmatrix_of_unwritten_rows, "uninitialised", "tile[24]") { run<loads_unwritten_rows>(); }

__global__ void loads_beyond_the_tile(const uint4* in, float* out) {
  __shared__ uint4 tile[24];
  if (threadIdx.x < 24) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  unsigned r[4];
  ptx::ldmatrix_x4(r, &tile[threadIdx.x]);  // fault
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = __uint_as_float(r[i]);
}
DEFECT(ldmatrix_beyond_the_tile, "out-of-bounds", "tile[24]") { run<loads_beyond_the_tile>(); }

__global__ void loads_at_a_word(const uint4* in, float* out) {
  __shared__ uint4 tile[33];
  tile[threadIdx.x] = in[threadIdx.x];
  tile[32] = in[32];
  __syncthreads();
  unsigned r[4];
  ptx::ldmatrix_x4(r, reinterpret_cast<const unsigned*>(&tile[threadIdx.x]) + 1);  // fault
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = __uint_as_float(r[i]);
}
DEFECT(ldmatrix_of_rows_at_a_word, "misaligned", "") { run<loads_at_a_word>(); }

// Beyond the edge of 24 rows a lane wants fewer than no bytes.
__global__ void wants_fewer_than_no_bytes(const uint4* in, float* out) {
  __shared__ uint4 tile[32];
  const int lane = threadIdx.x;
  ptx::cp_async<16>(&tile[lane], &in[lane], min(16, 16 * (24 - lane)));  // fault
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  for (int i = 0; i < 4; ++i) out[4 * lane + i] = __uint_as_float(tile[lane].x);
}
DEFECT(copy_of_fewer_than_no_bytes, "out-of-bounds", "of which -16 are to be read") {
  run<wants_fewer_than_no_bytes>();
}

// Where there are no rows, no bytes are read.
__global__ void wants_no_bytes(const uint4* in, float* out) {
  __shared__ uint4 tile[32];
  const int lane = threadIdx.x;
  ptx::cp_async<16>(&tile[lane], &in[lane], lane < 24 ? 16 : 0);
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  for (int i = 0; i < 4; ++i) out[4 * lane + i] = __uint_as_float(tile[lane].x);
}
CORRECT(copy_of_no_bytes) { run<wants_no_bytes>(); }

// The lanes' copies, two warps of them: the other warp's rows need a barrier behind the wait.
__global__ void loads_rows_on_their_way(const uint4* in, float* out) {
  __shared__ uint4 tile[64];
  const int thread = threadIdx.x;
  ptx::cp_async<16>(&tile[thread], &in[thread % 48]);  // fault
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  unsigned r[4];
  ptx::ldmatrix_x4(r, &tile[thread ^ 32]);  // fault: other side
  for (int i = 0; i < 4; ++i) out[thread * 2 + i / 2] = __uint_as_float(r[i]);
}
DEFECT(ldmatrix_without_a_barrier, "race", "tile[") {
  const Buffer<float> in("in", 48 * 4, Contents::input), out("out", 32 * 4, Contents::nothing);
  loads_rows_on_their_way<<<1, 64>>>(reinterpret_cast<const uint4*>(in.data()), out.data());
}

}  // namespace
}  // namespace tilewise::defects
