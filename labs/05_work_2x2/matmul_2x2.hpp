/// \file
/// Contract of stage 5. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = A * B, four results a thread: two neighbouring rows times two neighbouring columns. A block
/// of tile x tile threads computes 2 tile x 2 tile elements of C, from a 2 tile x tile piece of A
/// and a tile x 2 tile piece of B in shared memory at a time; the next pieces are fetched to
/// registers meanwhile, as in stage 4.
///
/// The functions launch on the default stream and do not wait for the kernel.
///
/// \param[in]  A     (n, n) row-major, device memory
/// \param[in]  B     (n, n) row-major, device memory
/// \param[out] C     (n, n) row-major, device memory, not overlapping A or B; every element is
///                   written and none is read
/// \param      n     order of the matrices, in elements; need not be a multiple of the tile, nor
///                   even; 0 does nothing and allows null pointers
/// \param      tile  edge of a block, in threads: 8, 16 or 32
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, if tile
///           is none of the three, or if a matrix is null although n is not 0;
///         - whatever else `cudaGetLastError()` reports after the launch: a grid has at most
///           65,535 blocks along y.
///
/// Source: Poznan University of Technology 2014 (put2014), version 5.
cudaError_t matmul_2x2(const float* A, const float* B, float* C, int n, int tile);

/// The same, but the four results of a thread lie half a matrix apart: with h = n / 2, rounded up,
/// the thread that owns element (row, col) of the first quarter of C also owns (row, col + h),
/// (row + h, col) and (row + h, col + h), where C has them. Neighbouring threads then own
/// neighbouring elements in each quarter, and shared memory is free of bank conflicts.
///
/// Source: course project 2025 (course2025), 4 results a thread.
cudaError_t matmul_2x2_strided(const float* A, const float* B, float* C, int n, int tile);
