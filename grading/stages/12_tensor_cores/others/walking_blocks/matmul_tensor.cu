// A helper first brings both matrices into padded ones, where every tile is whole: no edge is
// looked at again but for the stores. Then as many blocks of 8 warps as fit walk over all tiles of C.
#include "matmul_tensor.hpp"

#include "tilewise/ptx.hpp"

namespace ptx = tilewise::ptx;

namespace {

constexpr int side = 128;  // of a block's tile of C, and what matrices are padded to
constexpr int threads = 256;

// Blocks with y = 0 take A, the others B.
template <class T>
__global__ void pad(const T* A, const T* B, T* padded_A, T* padded_B, int n, int wide) {
  const T* const from = blockIdx.y == 0 ? A : B;
  T* const to = blockIdx.y == 0 ? padded_A : padded_B;
  for (long long i = blockIdx.x * threads + threadIdx.x; i < (long long)wide * wide;
       i += gridDim.x * threads) {
    const int row = int(i / wide), col = int(i % wide);
    to[i] = row < n && col < n ? from[(long long)row * n + col] : T(0.0f);
  }
}

// Copies Rows rows of Bytes bytes into rows that are 16 bytes longer.
template <int Rows, int Bytes>
__device__ void copy_rows(char* to, const char* from, long long distance) {
#pragma unroll
  for (int i = threadIdx.x; i < Rows * Bytes / 16; i += threads) {
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

constexpr int half_depth = 32, half_stages = 3;

// Calls step(0), ..., step(count - 1), each after its copies have arrived, which begin(i) begins.
template <class Begin, class Step>
__device__ void in_turn(int count, Begin begin, Step step) {
  for (int i = 0; i < half_stages - 1; ++i) {
    if (i < count) begin(i);
    ptx::cp_async_commit();
  }
  for (int i = 0; i < count; ++i) {
    ptx::cp_async_wait<half_stages - 2>();
    __syncthreads();
    if (i + half_stages - 1 < count) begin(i + half_stages - 1);
    ptx::cp_async_commit();
    step(i);
  }
  __syncthreads();  // the next tile of C overwrites the first half_stages
}

struct HalfTiles {
  __half a[side][half_depth + 8], b[half_depth][side + 8];
};

__global__ __launch_bounds__(threads, 2) void halves(const __half* A, const __half* B, float* C,
                                                     int n, int wide) {
  extern __shared__ __align__(16) unsigned char memory[];
  HalfTiles* const tiles = reinterpret_cast<HalfTiles*>(memory);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = wide / side;
  const int down = warp / 4 * 64, right = warp % 4 * 32;
  for (int tile = blockIdx.x; tile < across * across; tile += gridDim.x) {
    const int row0 = tile % across * side, col0 = tile / across * side;
    float d[4][4][4] = {};
    const auto begin = [&](int i) {
      HalfTiles& to = tiles[i % half_stages];
      const int k0 = i * half_depth;
      copy_rows<side, 2 * half_depth>((char*)to.a, (const char*)(A + (long long)row0 * wide + k0),
                                      2ll * wide);
      copy_rows<half_depth, 2 * side>((char*)to.b, (const char*)(B + (long long)k0 * wide + col0),
                                      2ll * wide);
    };
    in_turn((n + half_depth - 1) / half_depth, begin, [&](int step) {
      const HalfTiles& now = tiles[step % half_stages];
#pragma unroll
      for (int k = 0; k < half_depth; k += 16) {
        unsigned a[4][4], b[2][4];
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          ptx::ldmatrix_x4_trans(b[j], &now.b[k + lane % 16][right + j * 16 + lane / 16 * 8]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          ptx::ldmatrix_x4(a[i], &now.a[down + i * 16 + lane % 16][k + lane / 16 * 8]);
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          const unsigned* const two = &b[i % 4 / 2][i % 2 * 2];
          const unsigned of_b[2] = {two[0], two[1]};
          ptx::mma_m16n8k16(d[i / 4][i % 4], a[i / 4], of_b);
        }
      }
    });
#pragma unroll
    for (int i = 0; i < 16; ++i)
      store(C, n, row0 + down + i / 4 * 16, col0 + right + i % 4 * 8, d[i / 4][i % 4]);
  }
}

constexpr int deep = 32, float_stages = 3;

// A float rounded to what tensor cores look at, and the rest.
__device__ void split(unsigned bits, unsigned& large, unsigned& small) {
  large = (bits + 0x1000u) & 0xffffe000u;
  small = __float_as_uint(__uint_as_float(bits) - __uint_as_float(large));
}

// Rows of B are 32 bytes longer, so that lanes that read 8 floats of 4 rows meet in no bank.
struct FloatTiles {
  float a[side][deep + 4], b[deep][side + 8];
};

__global__ __launch_bounds__(threads) void floats(const float* A, const float* B, float* C, int n,
                                                  int wide) {
  extern __shared__ __align__(16) unsigned char memory[];
  FloatTiles* const tiles = reinterpret_cast<FloatTiles*>(memory);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = wide / side;
  const int down = warp / 4 * 64, right = warp % 4 * 32, g = lane / 4, t = lane % 4;
  const int steps = (n + deep - 1) / deep;  // beyond there are zeros alone
  for (int tile = blockIdx.x; tile < across * across; tile += gridDim.x) {
    const int row0 = tile % across * side, col0 = tile / across * side;
    const float *from_a = A + (long long)row0 * wide, *from_b = B + col0;
    const auto begin = [&](FloatTiles& to) {
      copy_rows<side, 4 * deep>((char*)to.a, (const char*)from_a, 4ll * wide);
#pragma unroll
      for (int i = threadIdx.x; i < deep * side / 4; i += threads) {
        const int row = i / (side / 4), col = i % (side / 4) * 4;
        ptx::cp_async<16>(&to.b[row][col], from_b + (long long)row * wide + col);
      }
      from_a += deep;
      from_b += (long long)deep * wide;
    };
    unsigned a[2][4][4], b[2][4][2];  // of 8 k, and of the next 8
    const auto load = [&](const FloatTiles& from, int k, int to) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        ptx::ldmatrix_x4(a[to][i], &from.a[down + i * 16 + lane % 16][k + lane / 16 * 4]);
        for (int e = 0; e < 2; ++e) {
          b[to][i][e] = __float_as_uint(from.b[k + t + e * 4][right + i * 8 + g]);
        }
      }
    };
    for (int i = 0; i < float_stages - 1; ++i) {
      if (i < steps) begin(tiles[i]);
      ptx::cp_async_commit();
    }
    ptx::cp_async_wait<float_stages - 2>();
    __syncthreads();
    load(tiles[0], 0, 0);
    int at = 0, last = float_stages - 1;  // the stage that is multiplied, and the one before it
    float sum[4][4][4] = {};
    for (int step = 0; step < steps; ++step) {
      float d[4][4][4] = {};
#pragma unroll
      for (int k = 0; k < deep; k += 8) {
        const int now = k / 8 % 2;
        if (k == 0) {
          if (step + float_stages - 1 < steps) begin(tiles[last]);
          ptx::cp_async_commit();
        }
        if (k + 8 < deep) {
          load(tiles[at], k + 8, 1 - now);
        } else {
          ptx::cp_async_wait<float_stages - 2>();
          __syncthreads();
          last = at;
          at = at + 1 == float_stages ? 0 : at + 1;
          if (step + 1 < steps) load(tiles[at], 0, 1 - now);
        }
        unsigned large_a[4][4], small_a[4][4], large_b[4][2], small_b[4][2];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          for (int e = 0; e < 4; ++e) split(a[now][i][e], large_a[i][e], small_a[i][e]);
          for (int e = 0; e < 2; ++e) split(b[now][i][e], large_b[i][e], small_b[i][e]);
        }
#pragma unroll
        for (int i = 0; i < 16; ++i)
          ptx::mma_m16n8k8_tf32(d[i / 4][i % 4], small_a[i / 4], large_b[i % 4]);
#pragma unroll
        for (int i = 0; i < 16; ++i)
          ptx::mma_m16n8k8_tf32(d[i / 4][i % 4], large_a[i / 4], small_b[i % 4]);
#pragma unroll
        for (int i = 0; i < 16; ++i)
          ptx::mma_m16n8k8_tf32(d[i / 4][i % 4], large_a[i / 4], large_b[i % 4]);
      }
      // Sums within tensor cores are cut off, those outside are rounded.
#pragma unroll
      for (int i = 0; i < 64; ++i) sum[i / 16][i / 4 % 4][i % 4] += d[i / 16][i / 4 % 4][i % 4];
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
      store(C, n, row0 + down + i / 4 * 16, col0 + right + i % 4 * 8, sum[i / 4][i % 4]);
    __syncthreads();  // the next tile of C overwrites the first stages
  }
}

// Room for several matrices, as long as the work in front of its end needs it. The pool keeps its
// memory from call to call.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) {
    int device = 0;
    cudaMemPool_t pool = nullptr;
    cudaGetDevice(&device);
    cudaDeviceGetDefaultMemPool(&pool, device);
    unsigned long long kept = ~0ull;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    error_ = cudaMallocAsync(&room_, bytes, nullptr);
  }
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

// As many blocks as run at the same time, or as there are tiles.
template <class Kernel, class... Arguments>
cudaError_t walk(Kernel kernel, int bytes, int wide, Arguments... arguments) {
  int device = 0, multiprocessors = 0, each = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, bytes);
  const int tiles = (wide / side) * (wide / side), fit = multiprocessors * each;
  const int blocks = tiles < fit ? tiles : fit;
  kernel<<<blocks, threads, bytes>>>(arguments..., wide);
  return cudaGetLastError();
}

constexpr int most_helpers = 1024;  // blocks that pad

template <class T, class Kernel>
cudaError_t multiply(Kernel kernel, int bytes, const T* A, const T* B, float* C, int n) {
  if (n < 0 || (n > 0 && !(A && B && C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const int wide = (n + side - 1) / side * side;
  const std::size_t elements = std::size_t(wide) * wide;
  const Scratch scratch(2 * elements * sizeof(T));
  if (scratch.error()) return scratch.error();
  T* const padded_A = scratch.at<T>(0);
  T* const padded_B = scratch.at<T>(elements);
  const int helpers = wide < 512 ? wide * wide / threads : most_helpers;
  pad<<<dim3(helpers, 2), threads>>>(A, B, padded_A, padded_B, n, wide);
  return walk(kernel, bytes, wide, (const T*)padded_A, (const T*)padded_B, C, n);
}

}  // namespace

cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n) {
  return multiply(halves, half_stages * sizeof(HalfTiles), A, B, C, n);
}

cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n) {
  return multiply(halves, half_stages * sizeof(HalfTiles), A, B, C, n);
}

cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n) {
  return multiply(floats, float_stages * sizeof(FloatTiles), A, B, C, n);
}
