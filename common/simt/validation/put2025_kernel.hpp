#pragma once

/// The matrix product of put2025 (Poznan University of Technology, 2025), written as published.
/// common/model/testdata holds the counters of this kernel on a GTX 1080.
namespace tilewise::simt {

/// Computes C = A * B, all n x n in device memory, by blocks of tile x tile threads, each with rx
/// neighbouring results along x and ry along y. Returns false, and does nothing, if the report has
/// no such configuration.
bool put2025_matmul(int tile, int rx, int ry, const float* A, const float* B, float* C, int n);

}  // namespace tilewise::simt
