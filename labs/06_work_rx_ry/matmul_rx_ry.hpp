/// \file
/// Contract of stage 6. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = A * B, rx x ry results a thread. A block of tile x tile threads computes (tile * ry) rows by
/// (tile * rx) columns of C, from a (tile * ry) x tile piece of A and a tile x (tile * rx) piece of
/// B in shared memory at a time: tile^2 * (rx + ry) * 4 bytes.
///
/// The functions launch on the default stream and do not wait for the kernel.
///
/// \param[in]  A     (n, n) row-major, device memory
/// \param[in]  B     (n, n) row-major, device memory
/// \param[out] C     (n, n) row-major, device memory, not overlapping A or B; every element is
///                   written and none is read
/// \param      n     order of the matrices, in elements; any; 0 does nothing and allows null
///                   pointers
/// \param      tile  edge of a block, in threads: 16 or 32
/// \param      rx    results along x (columns) that a thread computes
/// \param      ry    results along y (rows) that a thread computes.
///                   Tile 16: rx x ry is one of 1x1 2x1 2x2 2x3 2x8 4x4 5x6 6x6 8x8 16x16 23x24
///                   24x24; tile 32: 1x1 2x1 2x2 2x3 2x4 4x4 5x6 6x6
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, if the
///           configuration is not in the list, or if a matrix is null although n is not 0;
///         - whatever else `cudaGetLastError()` reports after the launch: a device may hold fewer
///           threads or less shared memory a block than the configuration needs, and a grid has at
///           most 65,535 blocks along y.
///
/// Source: Poznan University of Technology 2025 (put2025).
cudaError_t matmul_rx_ry(const float* A, const float* B, float* C, int n, int tile, int rx, int ry);

/// The same, but a thread's results lie n / 2 or n / 4 apart (rounded up), one in each half or
/// quarter of the rows and columns of C.
///
/// \param      tile     edge of a block, in threads: 16 or 32
/// \param      results  results a thread, rows x columns: 1 (1x1), 4 (2x2), 8 (2x4) or 16 (4x4)
///
/// Otherwise as above; `cudaErrorInvalidValue` also for any other tile or number of results.
///
/// Source: course project 2025 (course2025).
cudaError_t matmul_strided(const float* A, const float* B, float* C, int n, int tile, int results);

/// The same product; chooses a configuration of one of the two above, from n and the current
/// device.
cudaError_t matmul_auto(const float* A, const float* B, float* C, int n);
