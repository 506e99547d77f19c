#pragma once

/// The matrix product of put2025 (Poznan University of Technology, 2025), written as published:
/// the kernel whose counters on a GTX 1080 common/model/testdata holds.
namespace tilewise::simt {

/// C = A * B, all n x n in device memory, by blocks of tile x tile threads with rx neighbouring
/// results along x and ry along y each. Returns false, and does nothing, where the report has no
/// such configuration.
bool put2025_matmul(int tile, int rx, int ry, const float* A, const float* B, float* C, int n);

}  // namespace tilewise::simt
