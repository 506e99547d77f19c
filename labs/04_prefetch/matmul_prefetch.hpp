/// \file
/// Contract of stage 4. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = A * B, computed tile by tile as in stage 3, but the next tiles of A and B are fetched while
/// the block computes with these. Each block has tile x tile threads, and every thread computes one
/// element of C.
///
/// The functions launch on the default stream and do not wait for the kernel. Nothing outside A and
/// B is read, nor asked for ahead of time.
///
/// \param[in]  A     (n, n) row-major, device memory
/// \param[in]  B     (n, n) row-major, device memory
/// \param[out] C     (n, n) row-major, device memory, not overlapping A or B; every element is
///                   written and none is read
/// \param      n     order of the matrices, in elements; need not be a multiple of the tile; 0 does
///                   nothing and allows null pointers
/// \param      tile  edge of a tile, in elements: 8, 16 or 32
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, if tile
///           is none of the three, or if a matrix is null although n is not 0;
///         - whatever else `cudaGetLastError()` reports after the launch: a grid has at most
///           65,535 blocks along y.
///
/// The next elements wait in registers until these tiles are done with: two barriers a step, as in
/// stage 3. Source: Poznan University of Technology 2014 (put2014), version 4a.
cudaError_t matmul_prefetch_register(const float* A, const float* B, float* C, int n, int tile);

/// The same, but the next elements go to a second pair of tiles at once, and the pairs change
/// places: one barrier a step. Source: put2014, version 4b.
cudaError_t matmul_prefetch_shared(const float* A, const float* B, float* C, int n, int tile);
