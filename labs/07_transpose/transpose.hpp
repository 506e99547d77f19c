/// \file
/// Contract of stage 7. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// out = the transpose of in: out(col, row) = in(row, col), exactly, bit for bit.
///
/// The functions launch on the default stream and do not wait for the kernel.
///
/// \param[out] out   (cols, rows) row-major, device memory, not overlapping `in`; every element is
///                   written and none is read
/// \param[in]  in    (rows, cols) row-major, device memory
/// \param      rows  rows of `in`, in elements; any number, also many more than columns
/// \param      cols  columns of `in`, in elements. If either is 0 there is nothing to do, and the
///                   pointers may be null
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if rows or cols is negative
///           or a matrix is null although it has elements;
///         - whatever else `cudaGetLastError()` reports after the launch.
///
/// Each thread reads and writes elements of its own: the rows of one of the two matrices are walked
/// by neighbouring threads, the columns of the other.
///
/// Source: Masaryk University 2009 (muni2009).
cudaError_t transpose_naive(float* out, const float* in, int rows, int cols);

/// By tiles in shared memory: neighbouring threads walk along the rows of both matrices.
cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols);

/// The same, with the rows of a tile one element longer, so that a column of it lies in different
/// banks.
cudaError_t transpose_padded(float* out, const float* in, int rows, int cols);

/// The same, with the tiles taken in diagonal order, so that blocks that run at the same time use
/// all partitions of memory, in both matrices.
cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols);
