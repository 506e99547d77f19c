#pragma once

#include <cuda_runtime.h>

/// Four ways to transpose a matrix, each with its own memory behaviour. All take device memory: in
/// (rows, cols), out (cols, rows), with rows, cols >= 1 and rows * cols < 2^31.
namespace tilewise::simt {

/// Reads along rows, writes along columns: every store of a warp touches 32 sectors.
cudaError_t transpose_naive(float* out, const float* in, int rows, int cols);

/// Transposes a tile in shared memory, so that loads and stores run along rows. A warp reads a
/// column of the tile, which lies entirely in one bank.
cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols);

/// As transpose_tiled, but the rows of the tile are one element longer, so that a column lies in 32
/// banks.
cudaError_t transpose_padded(float* out, const float* in, int rows, int cols);

/// As transpose_padded, with blocks in diagonal order, so that blocks which run together spread
/// over the DRAM partitions of old GPUs. Source: Ruetsch and Micikevicius, "Optimizing Matrix
/// Transpose in CUDA", 2009.
cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols);

}  // namespace tilewise::simt
