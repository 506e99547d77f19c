// A helper first brings both matrices into padded ones, where every tile is whole: no edge is
// looked at again but for the stores. For floats it splits the elements there, once for all blocks.
// Then a few blocks of 4 warps walk over all tiles of C. Slow: MatmulMma.ReachesMinimumGflops
#include "matmul_tensor.hpp"

#include "tilewise/ptx.hpp"

namespace ptx = tilewise::ptx;

namespace {

constexpr int side = 64;  // of a block's tile of C, and what matrices are padded to
constexpr int most_blocks = 132;

int padded(int n) { return (n + side - 1) / side * side; }

__global__ void pad(const __half* from, __half* to, int n, int wide) {
  for (long long i = blockIdx.x * 256 + threadIdx.x; i < (long long)wide * wide;
       i += gridDim.x * 256) {
    const int row = int(i / wide), col = int(i % wide);
    to[i] = row < n && col < n ? from[(long long)row * n + col] : __half(0.0f);
  }
}

__global__ void pad_and_split(const float* from, unsigned* large, unsigned* small, int n,
                              int wide) {
  for (long long i = blockIdx.x * 256 + threadIdx.x; i < (long long)wide * wide;
       i += gridDim.x * 256) {
    const int row = int(i / wide), col = int(i % wide);
    const float value = row < n && col < n ? from[(long long)row * n + col] : 0.0f;
    large[i] = ptx::to_tf32(value);
    small[i] = ptx::to_tf32(value - __uint_as_float(large[i]));
  }
}

// Copies Rows rows of Bytes bytes into rows that are 16 bytes longer.
template <int Rows, int Bytes>
__device__ void copy_rows(char* to, const char* from, long long distance) {
  for (int i = threadIdx.x; i < Rows * Bytes / 16; i += 128) {
    const int row = i / (Bytes / 16), at = i % (Bytes / 16) * 16;
    ptx::cp_async<16>(to + row * (Bytes + 16) + at, from + row * distance + at);
  }
}

__device__ void store(float* C, int n, int row, int col, const float (&d)[4]) {
  const int lane = threadIdx.x % 32;
  for (int e = 0; e < 4; ++e) {
    const int r = row + lane / 4 + e / 2 * 8, c = col + lane % 4 * 2 + e % 2;
    if (r < n && c < n) C[(long long)r * n + c] = d[e];
  }
}

__global__ __launch_bounds__(128) void halves(const __half* A, const __half* B, float* C, int n,
                                              int wide) {
  __shared__ __align__(16) __half a_tile[2][side][side + 8];
  __shared__ __align__(16) __half b_tile[2][side][side + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = wide / side;
  const int down = warp / 2 * 32, right = warp % 2 * 32;
  for (int tile = blockIdx.x; tile < across * across; tile += gridDim.x) {
    const int row0 = tile / across * side, col0 = tile % across * side;
    const auto fetch = [&](int k0, int which) {
      copy_rows<side, 2 * side>((char*)a_tile[which],
                                (const char*)(A + (long long)row0 * wide + k0), 2ll * wide);
      copy_rows<side, 2 * side>((char*)b_tile[which],
                                (const char*)(B + (long long)k0 * wide + col0), 2ll * wide);
      ptx::cp_async_commit();
    };
    float d[2][4][4] = {};
    fetch(0, 0);
    for (int step = 0; step < across; ++step) {
      ptx::cp_async_wait<0>();
      __syncthreads();
      if (step + 1 < across) fetch((step + 1) * side, (step + 1) % 2);
      const auto& a_now = a_tile[step % 2];
      const auto& b_now = b_tile[step % 2];
      for (int k = 0; k < side; k += 16) {
        unsigned a[2][4], b[2][4];
        for (int i = 0; i < 2; ++i) {
          ptx::ldmatrix_x4(a[i], &a_now[down + i * 16 + lane % 16][k + lane / 16 * 8]);
          ptx::ldmatrix_x4_trans(b[i], &b_now[k + lane % 16][right + i * 16 + lane / 16 * 8]);
        }
        for (int i = 0; i < 2; ++i) {
          for (int j = 0; j < 4; ++j) {
            const unsigned of_b[2] = {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]};
            ptx::mma_m16n8k16(d[i][j], a[i], of_b);
          }
        }
      }
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i)
      store(C, n, row0 + down + i / 4 * 16, col0 + right + i % 4 * 8, d[i / 4][i % 4]);
  }
}

__global__ __launch_bounds__(128) void parts(const unsigned* large_A, const unsigned* small_A,
                                             const unsigned* large_B, const unsigned* small_B,
                                             float* C, int n, int wide) {
  constexpr int deep = 16;
  __shared__ __align__(16) unsigned a_tile[2][side][deep + 4];  // large, small
  __shared__ __align__(16) unsigned b_tile[2][deep][side + 4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = wide / side;
  const int down = warp / 2 * 32, right = warp % 2 * 32, g = lane / 4, t = lane % 4;
  for (int tile = blockIdx.x; tile < across * across; tile += gridDim.x) {
    const int row0 = tile / across * side, col0 = tile % across * side;
    float sum[2][4][4] = {};
    for (int k0 = 0; k0 < wide; k0 += deep) {
      const long long at_a = (long long)row0 * wide + k0, at_b = (long long)k0 * wide + col0;
      copy_rows<side, 4 * deep>((char*)a_tile[0], (const char*)(large_A + at_a), 4ll * wide);
      copy_rows<side, 4 * deep>((char*)a_tile[1], (const char*)(small_A + at_a), 4ll * wide);
      copy_rows<deep, 4 * side>((char*)b_tile[0], (const char*)(large_B + at_b), 4ll * wide);
      copy_rows<deep, 4 * side>((char*)b_tile[1], (const char*)(small_B + at_b), 4ll * wide);
      ptx::cp_async_commit();
      ptx::cp_async_wait<0>();
      __syncthreads();
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          float d[4] = {};
          for (int way = 0; way < 3; ++way) {  // small * large, large * small, large * large
            for (int k = 0; k < deep; k += 8) {
              const auto& from_a = a_tile[way == 0];
              const auto& from_b = b_tile[way == 1];
              const int row = down + 16 * i + g, col = right + 8 * j + g;
              const unsigned a[4] = {from_a[row][k + t], from_a[row + 8][k + t],
                                     from_a[row][k + t + 4], from_a[row + 8][k + t + 4]};
              const unsigned b[2] = {from_b[k + t][col], from_b[k + t + 4][col]};
              ptx::mma_m16n8k8_tf32(d, a, b);
            }
          }
          for (int e = 0; e < 4; ++e) sum[i][j][e] += d[e];
        }
      }
      __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
      store(C, n, row0 + down + i / 4 * 16, col0 + right + i % 4 * 8, sum[i / 4][i % 4]);
  }
}

// Room for several matrices, as long as the work in front of its end needs it.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) { error_ = cudaMallocAsync(&room_, bytes, nullptr); }
  ~Scratch() {
    if (room_) cudaFreeAsync(room_, nullptr);
  }
  Scratch(const Scratch&) = delete;
  cudaError_t error() const { return error_; }
  template <class T>
  T* at(std::size_t elements) const {
    return static_cast<T*>(room_) + elements;
  }

 private:
  void* room_ = nullptr;
  cudaError_t error_;
};

int blocks_for(int wide) {
  const int tiles = (wide / side) * (wide / side);
  return tiles < most_blocks ? tiles : most_blocks;
}

cudaError_t multiply(const __half* A, const __half* B, float* C, int n) {
  if (n < 0 || (n > 0 && !(A && B && C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const int wide = padded(n);
  const std::size_t elements = std::size_t(wide) * wide;
  const Scratch scratch(2 * elements * sizeof(__half));
  if (scratch.error()) return scratch.error();
  __half* const padded_A = scratch.at<__half>(0);
  __half* const padded_B = scratch.at<__half>(elements);
  pad<<<most_blocks, 256>>>(A, padded_A, n, wide);
  pad<<<most_blocks, 256>>>(B, padded_B, n, wide);
  halves<<<blocks_for(wide), 128>>>(padded_A, padded_B, C, n, wide);
  return cudaGetLastError();
}

}  // namespace

cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n) {
  return multiply(A, B, C, n);
}

cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n) {
  return multiply(A, B, C, n);
}

cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n) {
  if (n < 0 || (n > 0 && !(A && B && C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const int wide = padded(n);
  const std::size_t elements = std::size_t(wide) * wide;
  const Scratch scratch(4 * elements * sizeof(unsigned));
  if (scratch.error()) return scratch.error();
  unsigned* part[4];
  for (int i = 0; i < 4; ++i) part[i] = scratch.at<unsigned>(i * elements);
  pad_and_split<<<most_blocks, 256>>>(A, part[0], part[1], n, wide);
  pad_and_split<<<most_blocks, 256>>>(B, part[2], part[3], n, wide);
  parts<<<blocks_for(wide), 128>>>(part[0], part[1], part[2], part[3], C, n, wide);
  return cudaGetLastError();
}
