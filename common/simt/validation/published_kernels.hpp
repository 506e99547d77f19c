#pragma once

/// Kernels of published course documents that differ from the course's solutions, used for the
/// model of a kernel's time. All matrices are row-major in device memory; all sizes are multiples
/// of the tiles, as in the documents.
namespace tilewise::simt {

/// Computes C = A * B, all (n, n), by rank-1 updates with muni2009's sizes (Masaryk University,
/// 2009): 64 threads, a tile of A of 16 x 16 in shared memory, 64 x 16 results. n is a multiple of
/// 64.
void muni2009_rank1(const float* A, const float* B, float* C, int n);

/// Computes C = A * B, all (n, n), with one result a thread. Tiles are fetched ahead into a second
/// pair of tiles and copied from there (put2014's version 4b). n is a multiple of the tile, 8 or
/// 16.
/// @return false for another tile
bool put2014_prefetch_shared(const float* A, const float* B, float* C, int n, int tile);

/// The same with 2 x 2 neighbouring results a thread, which the thread sums up one after another,
/// from tiles that were fetched ahead into registers (put2014's version 5). n is a multiple of two
/// tiles.
bool put2014_2x2(const float* A, const float* B, float* C, int n, int tile);

/// Computes C = alpha * A * B + beta * C, all (n, n), as kernel `number` (1 to 10) of Simon Boehm,
/// How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance, 2022, does, with its sizes for
/// an A6000. The kernels are: naive, coalesced, shared memory, columns of results, squares of
/// results, in fours, without bank conflicts in two ways, twice as deep, by warps. n is a multiple
/// of 128.
/// @return false for another number
bool sgemm_ladder(const float* A, const float* B, float* C, int n, int number);

}  // namespace tilewise::simt
