/// \file
/// Contract of stage 11. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = A * B, three kernels on the way from shared memory tiles to the rate of cuBLAS.
///
/// The functions launch on the default stream and do not wait for the kernel. Grid, blocks and
/// tiles are yours to choose.
///
/// \param[in]  A     (n, n) row-major, device memory
/// \param[in]  B     (n, n) row-major, device memory
/// \param[out] C     (n, n) row-major, device memory, not overlapping A or B; every element is
///                   written and none is read
/// \param      n     order of the matrices, in elements; any; 0 does nothing and allows null
///                   pointers. Where 4 does not divide it, rows do not begin at multiples of 16
///                   bytes.
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, or if a
///           matrix is null although n is not 0;
///         - `cudaErrorNotSupported` from matmul_async(), with nothing launched or written, if the
///           device has no asynchronous copies;
///         - whatever else `cudaGetLastError()` reports after the launch.
///
/// Loads and stores 16 bytes at a time wherever rows begin at multiples of 16 bytes, in global and
/// in shared memory. A is transposed on its way into shared memory, so that a thread finds its
/// factors of one k side by side.
///
/// Source: S. Boehm, How to Optimize a CUDA Matmul Kernel, 2022, kernels 6 and 10; A. Kerr et al.,
/// CUTLASS: Fast Linear Algebra in CUDA C++, NVIDIA, 2017.
cudaError_t matmul_vectorized(const float* A, const float* B, float* C, int n);

/// The same with a tile for each warp between that of a block and that of a thread, and with
/// factors of the next k on their way to registers while those of this one are multiplied.
cudaError_t matmul_warp_tiles(const float* A, const float* B, float* C, int n);

/// The same with tiles that come by asynchronous copies, several of them at a time: cp.async, which
/// tilewise/ptx.hpp has as a function, or `__pipeline_memcpy_async()` of `<cuda_pipeline.h>`.
/// A device has asynchronous copies from compute capability 8.0 on.
cudaError_t matmul_async(const float* A, const float* B, float* C, int n);
