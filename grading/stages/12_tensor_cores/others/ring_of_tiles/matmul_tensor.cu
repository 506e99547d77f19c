// One class for a ring of tiles in dynamic shared memory, swizzled in bytes, that cuda::pipeline
// fills; halves by four warps with large tiles; floats and their parts as structs; matrices as
// views.
#include "matmul_tensor.hpp"

#include <cuda/pipeline>

#include "tilewise/ptx.hpp"

namespace {

constexpr int kEdge = 128;  // of a block's part of C

template <class T>
struct Matrix {
  const T* data;
  int n;
  __device__ const T* at(int row, int col) const { return data + std::size_t(row) * n + col; }
};

// Rows of Width elements, whose 16 bytes change places among eight with the row.
template <class T, int Width>
struct Swizzled {
  static constexpr int kVector = 16 / sizeof(T);
  static constexpr int kVectors = Width / kVector;
  T* data;

  __device__ T* at(int row, int vector) const {
    // 8 lanes read a float each of two vectors of B, from four rows; other reads take 8 rows.
    if constexpr (sizeof(T) == 4 && Width == kEdge) return of(row, vector ^ (row & 3) * 2);
    // Rows of 64 bytes: two of them fill all banks.
    if constexpr (kVectors < 8) return of(row, vector ^ (row / 2 % kVectors));
    return of(row, vector ^ (row & 7));
  }

 private:
  __device__ T* of(int row, int place) const { return data + row * Width + place * kVector; }
};

// A thread's share of the tiles of one matrix: rows of vectors, kApart rows from one another. Walks
// on by so many elements a step.
template <class T, int kRows, int kWidth, int kThreads, bool kVectors>
class Share {
 public:
  using Tile = Swizzled<T, kWidth>;
  static constexpr int kVector = Tile::kVector;
  static constexpr int kApart = kThreads / Tile::kVectors;

  __device__ Share(Matrix<T> from, int row0, int col0, std::size_t step)
      : row_(threadIdx.x / Tile::kVectors),
        vector_(threadIdx.x % Tile::kVectors),
        first_(from.at(row0 + row_, col0 + vector_ * kVector)),
        rows_(from.n - row0 - row_),
        cols_(from.n - col0 - vector_ * kVector),
        apart_(std::size_t(kApart) * from.n),
        step_(step) {}

  // Copies what there is of the next step, with zeros around. down, right: how far it is from the
  // first step, in rows and columns.
  __device__ void copy(Tile to, int down, int right,
                       cuda::pipeline<cuda::thread_scope_thread>& pipe) {
    const T* from = first_;
#pragma unroll
    for (int i = 0; i < kRows; i += kApart, from += apart_) {
      T* const there = to.at(row_ + i, vector_);
      const int left = i < rows_ - down ? cols_ - right : 0;
      if constexpr (kVectors) {
        if (left > 0) {
          cuda::memcpy_async(there, from, cuda::aligned_size_t<16>(16), pipe);
        } else {
          *reinterpret_cast<uint4*>(there) = uint4{};
        }
      } else {
        for (int e = 0; e < kVector; ++e) there[e] = e < left ? from[e] : T(0.0f);
      }
    }
    first_ += step_;
  }

 private:
  int row_, vector_;
  const T* first_;
  int rows_, cols_;
  std::size_t apart_, step_;
};

template <class T, int Depth, int kThreads, int kStages, bool kVectors>
class Ring {
 public:
  static constexpr int kDepth = Depth;
  static constexpr int kElements = 2 * kEdge * kDepth;
  using TileA = Swizzled<T, kDepth>;
  using TileB = Swizzled<T, kEdge>;

  __device__ Ring(void* memory, Matrix<T> a, Matrix<T> b, int row0, int col0)
      : memory_(static_cast<T*>(memory)),
        a_(a, row0, 0, kDepth),
        b_(b, 0, col0, std::size_t(kDepth) * b.n),
        n_(a.n),
        pipe_(cuda::make_pipeline()) {
    for (int i = 0; i < kStages - 1; ++i) fill();
  }

  // The tiles of the step that is multiplied.
  __device__ TileA a() const { return {memory_ + now_ * kElements}; }
  __device__ TileB b() const { return {memory_ + now_ * kElements + kEdge * kDepth}; }

  // The tiles of the next step are there for all, and all have read those of this one.
  __device__ void wait() {
    cuda::pipeline_consumer_wait_prior<kStages - 2>(pipe_);
    __syncthreads();
  }
  __device__ void advance() { now_ = after(now_); }

  // Begins to copy the tiles of one more step, in place of those of the step before this one.
  __device__ void fill() {
    pipe_.producer_acquire();
    if (filled_ < n_) {
      T* const to = memory_ + into_ * kElements;
      a_.copy({to}, 0, filled_, pipe_);
      b_.copy({to + kEdge * kDepth}, filled_, 0, pipe_);
    }
    pipe_.producer_commit();
    filled_ += kDepth;
    into_ = after(into_);
  }

 private:
  __device__ static int after(int stage) { return stage + 1 == kStages ? 0 : stage + 1; }

  T* memory_;
  Share<T, kEdge, kDepth, kThreads, kVectors> a_;
  Share<T, kDepth, kEdge, kThreads, kVectors> b_;
  int n_, now_ = 0, into_ = 0, filled_ = 0;  // filled_: k
  cuda::pipeline<cuda::thread_scope_thread> pipe_;
};

template <int Down, int Across>
__device__ void store(float* C, int n, int row0, int col0, const float (&d)[Down][Across][4]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < Down * 2; ++i) {
    const int row = row0 + i * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < Across; ++j) {
      const int col = col0 + j * 8 + lane % 4 * 2;
      float* const to = C + std::size_t(row) * n + col;
      if (row < n && col < n) to[0] = d[i / 2][j][i % 2 * 2];
      if (row < n && col + 1 < n) to[1] = d[i / 2][j][i % 2 * 2 + 1];
    }
  }
}

constexpr int kFourWarps = 128, kEightWarps = 256;
constexpr int kDepth = 32, kHalfStages = 4, kFloatStages = 3;
template <bool vectors>
using HalfRing = Ring<__half, kDepth, kFourWarps, kHalfStages, vectors>;
template <bool vectors>
using FloatRing = Ring<float, kDepth, kEightWarps, kFloatStages, vectors>;

// 2 x 2 warps of 64 x 64.
template <bool vectors>
__global__ __launch_bounds__(kFourWarps) void halves(Matrix<__half> A, Matrix<__half> B, float* C) {
  extern __shared__ __align__(128) unsigned char memory[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row0 = blockIdx.x * kEdge, col0 = blockIdx.y * kEdge;
  const int down = warp / 2 * 64, right = warp % 2 * 64;
  HalfRing<vectors> ring(memory, A, B, row0, col0);
  float d[4][8][4] = {};
  for (int k0 = 0; k0 < A.n; k0 += ring.kDepth, ring.advance()) {
    ring.wait();
    ring.fill();
    const auto a_tile = ring.a();
    const auto b_tile = ring.b();
#pragma unroll
    for (int k = 0; k < ring.kDepth; k += 16) {
      unsigned a[4][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        tilewise::ptx::ldmatrix_x4(a[i], a_tile.at(down + i * 16 + lane % 16, k / 8 + lane / 16));
      }
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        unsigned b[4];
        tilewise::ptx::ldmatrix_x4_trans(b, b_tile.at(k + lane % 16, right / 8 + j + lane / 16));
        const unsigned left[2] = {b[0], b[1]}, beside[2] = {b[2], b[3]};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          tilewise::ptx::mma_m16n8k16(d[i][j], a[i], left);
          tilewise::ptx::mma_m16n8k16(d[i][j + 1], a[i], beside);
        }
      }
    }
  }
  store(C, A.n, row0 + down, col0 + right, d);
}

// Operands of Count tiles, Each elements a lane: what tensor cores take of floats, and the rests.
template <int Count, int Each>
struct Parts {
  unsigned large[Count][Each], small[Count][Each];

  __device__ explicit Parts(const unsigned (&bits)[Count][Each]) {
#pragma unroll
    for (int i = 0; i < Count * Each; ++i) {
      const unsigned all = bits[i / Each][i % Each], upper = (all + 0x1000u) & ~0x1fffu;
      large[i / Each][i % Each] = upper;
      small[i / Each][i % Each] = __float_as_uint(__uint_as_float(all) - __uint_as_float(upper));
    }
  }
};

template <int Down, int Across>
__device__ void multiply(float (&d)[Down][Across][4], const unsigned (&a)[Down][4],
                         const unsigned (&b)[Across][2]) {
#pragma unroll
  for (int j = 0; j < Across; ++j) {
#pragma unroll
    for (int i = 0; i < Down; ++i) tilewise::ptx::mma_m16n8k8_tf32(d[i][j], a[i], b[j]);
  }
}

struct Operands {  // of 8 k: floats as they are
  unsigned a[4][4], b[4][2];

  __device__ void read(FloatRing<true>::TileA a_tile, FloatRing<true>::TileB b_tile, int down,
                       int right, int k) {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {  // to ldmatrix a float is two halves
      tilewise::ptx::ldmatrix_x4(a[i], a_tile.at(down + i * 16 + lane % 16, k / 4 + lane / 16));
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float* const four = b_tile.at(k + t + i % 2 * 4, right / 4 + i / 2 * 2 + g / 4);
      b[i / 2][i % 2] = __float_as_uint(four[g % 4]);
    }
  }
};

// 2 x 4 warps of 64 x 32.
template <bool vectors>
__global__ __launch_bounds__(kEightWarps) void floats(Matrix<float> A, Matrix<float> B, float* C) {
  extern __shared__ __align__(128) unsigned char memory[];
  const int warp = threadIdx.x / 32, down = warp / 4 * 64, right = warp % 4 * 32;
  const int row0 = blockIdx.x * kEdge, col0 = blockIdx.y * kEdge;
  FloatRing<vectors> ring(memory, A, B, row0, col0);
  float d[4][4][4] = {};
  Operands operands[2];  // those that are multiplied, and the next ones
  ring.wait();
  operands[0].read(ring.a(), ring.b(), down, right, 0);
  for (int k0 = 0; k0 < A.n; k0 += ring.kDepth) {
    float of_step[4][4][4] = {};
#pragma unroll
    for (int k = 0; k < ring.kDepth; k += 8) {
      const Operands& now = operands[k / 8 % 2];
      Operands& next = operands[(k / 8 + 1) % 2];
      if (k == 0) ring.fill();
      if (k + 8 < ring.kDepth) {
        next.read(ring.a(), ring.b(), down, right, k + 8);
      } else {
        ring.wait();
        ring.advance();
        if (k0 + ring.kDepth < A.n) next.read(ring.a(), ring.b(), down, right, 0);
      }
      const Parts<4, 4> a(now.a);
      const Parts<4, 2> b(now.b);
      multiply(of_step, a.small, b.large);
      multiply(of_step, a.large, b.small);
      multiply(of_step, a.large, b.large);
    }
#pragma unroll
    for (int i = 0; i < 64; ++i) d[i / 16][i / 4 % 4][i % 4] += of_step[i / 16][i / 4 % 4][i % 4];
  }
  store(C, A.n, row0 + down, col0 + right, d);
}

template <class T>
using Kernel = void (*)(Matrix<T>, Matrix<T>, float*);

template <class T>
cudaError_t run(Kernel<T> with_vectors, Kernel<T> with_elements, int threads, int stages,
                const T* A, const T* B, float* C, int n) {
  if (n < 0 || (n > 0 && !(A && B && C))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const auto bits = reinterpret_cast<std::size_t>(A) | reinterpret_cast<std::size_t>(B);
  const bool vectors = n * sizeof(T) % 16 == 0 && bits % 16 == 0;
  const int bytes = stages * 2 * kEdge * kDepth * int(sizeof(T));
  const Kernel<T> kernel = vectors ? with_vectors : with_elements;
  if (auto error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)) {
    return error;
  }
  const unsigned blocks = (n + kEdge - 1) / kEdge;
  kernel<<<dim3(blocks, blocks), threads, bytes>>>({A, n}, {B, n}, C);
  return cudaGetLastError();
}

cudaError_t run_halves(const __half* A, const __half* B, float* C, int n) {
  return run(halves<true>, halves<false>, kFourWarps, kHalfStages, A, B, C, n);
}

}  // namespace

cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n) {
  return run_halves(A, B, C, n);
}

cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n) {
  return run_halves(A, B, C, n);
}

cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n) {
  return run(floats<true>, floats<false>, kEightWarps, kFloatStages, A, B, C, n);
}
