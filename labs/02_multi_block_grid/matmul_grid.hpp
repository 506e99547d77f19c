/// \file
/// Contract of stage 2. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = A * B, computed by a grid of blocks, one element of C per thread.
///
/// The function launches on the default stream and does not wait for the kernel.
///
/// \param[in]  A      (n, n) row-major, device memory
/// \param[in]  B      (n, n) row-major, device memory
/// \param[out] C      (n, n) row-major, device memory, not overlapping A or B; every element is
///                    written and none is read
/// \param      n      order of the matrices, in elements; 0 does nothing and allows null pointers
/// \param      block  shape of each block: any x, y and z with 1 to 1024 threads in all, 128x1 and
///                    1x128 too
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, if the
///           block has no thread or more than 1024, or if a matrix is null although n is not 0;
///         - whatever else `cudaGetLastError()` reports after the launch: a grid has at most
///           65,535 blocks along y.
///
/// Source: Poznan University of Technology 2014 (put2014), version 2; Masaryk University 2009
/// (muni2009) for the two block shapes.
cudaError_t matmul_grid(const float* A, const float* B, float* C, int n, dim3 block);
