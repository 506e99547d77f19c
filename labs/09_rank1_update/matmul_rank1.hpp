/// \file
/// Contract of stage 9. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = A * B, three kernels on the way from tiles of both operands in shared memory to one operand
/// in registers.
///
/// The functions launch on the default stream and do not wait for the kernel.
///
/// \param[in]  A     (n, n) row-major, device memory
/// \param[in]  B     (n, n) row-major, device memory
/// \param[out] C     (n, n) row-major, device memory, not overlapping A or B; every element is
///                   written and none is read
/// \param      n     order of the matrices, in elements; any; 0 does nothing and allows null
///                   pointers
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, or if a
///           matrix is null although n is not 0;
///         - whatever else `cudaGetLastError()` reports after the launch: a grid has at most
///           65,535 blocks along y.
///
/// Tiles of 32 x 32 elements and 32 x 16 threads: each thread computes two results, 16 rows apart,
/// and uses each element of B that it reads for both.
///
/// Source: Masaryk University 2009 (muni2009).
cudaError_t matmul_two_rows(const float* A, const float* B, float* C, int n);

/// The same, with the tile of B stored transposed and padded, so that the inner loop walks along
/// rows of both tiles and has constant offsets only.
cudaError_t matmul_two_rows_transposed(const float* A, const float* B, float* C, int n);

/// Rank-1 updates: a tile of A in shared memory, a row of B in registers, one element a thread (or
/// a few), and a column of results a thread (or a few) in registers. In each step a column of the
/// tile of A times the row of B is added to all of them.
cudaError_t matmul_rank1(const float* A, const float* B, float* C, int n);
