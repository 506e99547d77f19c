/// \file
/// Contract of stage 3. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = A * B, computed tile by tile: each block of tile x tile threads brings one tile of A and one
/// of B at a time into shared memory, and every thread computes one element of C.
///
/// The function launches on the default stream and does not wait for the kernel.
///
/// \param[in]  A     (n, n) row-major, device memory
/// \param[in]  B     (n, n) row-major, device memory
/// \param[out] C     (n, n) row-major, device memory, not overlapping A or B; every element is
///                   written and none is read
/// \param      n     order of the matrices, in elements; need not be a multiple of the tile; 0 does
///                   nothing and allows null pointers
/// \param      tile  edge of a tile, in elements: 8, 16, 22 or 32
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, if tile
///           is none of the four, or if a matrix is null although n is not 0;
///         - whatever else `cudaGetLastError()` reports after the launch: a grid has at most
///           65,535 blocks along y.
///
/// Source: Poznan University of Technology 2014 (put2014), version 3.
cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile);
