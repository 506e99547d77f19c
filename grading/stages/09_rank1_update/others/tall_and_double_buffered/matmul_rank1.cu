// Two buffers in turn, so that one barrier a step is enough, and a grid of fixed size whose blocks
// go on to the next part of C. Blocks of rank-1 updates are as high as two columns a thread allow.
// At n = 1024 there are fewer of these tall blocks than a GTX 1080 has SMs:
// Slow: MatmulTwoRows.ReachesMinimumGflops
// Slow: MatmulRank1.ReachesMinimumGflops

#include "matmul_rank1.hpp"

namespace {

/// C is cut into parts of Rows x Cols elements, counted row by row.
template <int Rows, int Cols>
class Parts {
 public:
  __device__ explicit Parts(int n) : across_((n + Cols - 1) / Cols), down_((n + Rows - 1) / Rows) {}

  __device__ long count() const { return long(across_) * down_; }
  __device__ int top(long part) const { return int(part / across_) * Rows; }
  __device__ int left(long part) const { return int(part % across_) * Cols; }

 private:
  int across_, down_;
};

/// Row-major, n x n; asks for its edges.
template <typename Element>
class View {
 public:
  __device__ View(Element* first, int n) : first_(first), n_(n) {}

  __device__ float get(int row, int col) const {
    if (row < n_ && col < n_) return first_[at(row, col)];
    return 0;
  }
  __device__ void set(int row, int col, float value) const {
    if (row < n_ && col < n_) first_[at(row, col)] = value;
  }

 private:
  __device__ size_t at(int row, int col) const { return size_t(row) * n_ + col; }

  Element* first_;
  int n_;
};

}  // namespace

// Two elements of padding suit loads of 64 bits, into which the compiler joins those of a row.
template <int Padding>
__global__ void __launch_bounds__(512) two_rows(const float* A, const float* B, float* C, int n) {
  __shared__ float As[2][32][32];
  __shared__ float Bs[2][32][32 + Padding];  // (k, col); with padding (col, k)
  const View<const float> a(A, n), b(B, n);
  const int x = threadIdx.x, y = threadIdx.y;
  const Parts<32, 32> parts(n);
  int turn = 0;
  for (long part = blockIdx.x; part < parts.count(); part += gridDim.x) {
    const int row = parts.top(part) + y, col = parts.left(part) + x;
    float sum[2] = {0, 0};
    for (int k0 = 0; k0 < n; k0 += 32) {
      turn = 1 - turn;
      auto& at = As[turn];
      auto& bt = Bs[turn];
      for (int i = 0; i < 32; i += 16) {
        at[y + i][x] = a.get(row + i, k0 + x);
        float& place = Padding ? bt[x][y + i] : bt[y + i][x];
        place = b.get(k0 + y + i, col);
      }
      __syncthreads();
      for (int k = 0; k < 32; ++k) {
        for (int i = 0; i < 2; ++i) sum[i] += at[y + 16 * i][k] * (Padding ? bt[x][k] : bt[k][x]);
      }
    }
    for (int i = 0; i < 2; ++i) View<float>(C, n).set(row + 16 * i, col, sum[i]);
  }
}

template <int Threads, int Rows, int Depth>
__global__ void __launch_bounds__(Threads) rank1(const float* A, const float* B, float* C, int n) {
  __shared__ __align__(16) float As[2][Depth][Rows];  // (k, row)
  const View<const float> a(A, n), b(B, n);
  const int t = threadIdx.x;
  const Parts<Rows, 2 * Threads> parts(n);
  int turn = 0;
  for (long part = blockIdx.x; part < parts.count(); part += gridDim.x) {
    const int top = parts.top(part), col = parts.left(part) + t;
    float left[Rows] = {}, right[Rows] = {};
    for (int k0 = 0; k0 < n; k0 += Depth) {
      turn ^= 1;
      for (int i = t / Depth; i < Rows; i += Threads / Depth) {
        As[turn][t % Depth][i] = a.get(top + i, k0 + t % Depth);
      }
      __syncthreads();
      for (int k = 0; k < Depth; ++k) {
        const float b_left = b.get(k0 + k, col), b_right = b.get(k0 + k, col + Threads);
        for (int i = 0; i < Rows; ++i) {
          left[i] += As[turn][k][i] * b_left;
          right[i] += As[turn][k][i] * b_right;
        }
      }
    }
    for (int i = 0; i < Rows; ++i) {
      View<float>(C, n).set(top + i, col, left[i]);
      View<float>(C, n).set(top + i, col + Threads, right[i]);
    }
  }
}

using Kernel = void (*)(const float*, const float*, float*, int);

static cudaError_t start(Kernel kernel, dim3 threads, const float* A, const float* B, float* C,
                         int n) {
  constexpr unsigned blocks = 12;
  if (n < 0) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  kernel<<<blocks, threads>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_two_rows(const float* A, const float* B, float* C, int n) {
  return start(two_rows<0>, dim3(32, 16), A, B, C, n);
}

cudaError_t matmul_two_rows_transposed(const float* A, const float* B, float* C, int n) {
  return start(two_rows<2>, dim3(32, 16), A, B, C, n);
}

cudaError_t matmul_rank1(const float* A, const float* B, float* C, int n) {
  return start(rank1<64, 64, 8>, dim3(64), A, B, C, n);
}
