/// \file
/// Contract of stage 1. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = A * B, computed by a single block that walks over all tiles of C.
///
/// The function launches on the default stream and does not wait for the kernel.
///
/// \param[in]  A      (n, n) row-major, device memory
/// \param[in]  B      (n, n) row-major, device memory
/// \param[out] C      (n, n) row-major, device memory, not overlapping A or B; every element is
///                    written and none is read
/// \param      n      order of the matrices, in elements; 0 does nothing and allows null pointers
/// \param      block  shape of the one block: any x, y and z with 1 to 1024 threads in all
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, if the
///           block has no thread or more than 1024, or if a matrix is null although n is not 0;
///         - whatever else `cudaGetLastError()` reports after the launch.
///
/// Source: Poznan University of Technology 2014 (put2014), version 1.
cudaError_t matmul_single_block(const float* A, const float* B, float* C, int n, dim3 block);
