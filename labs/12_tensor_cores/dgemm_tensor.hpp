/// \file
/// Contract of stage 12, second part. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// C = alpha * A * B + beta * C in double precision by tensor cores, on parts of larger matrices.
///
/// A leading dimension is the distance, in elements, from one row to the next; what lies between
/// the end of a row and the start of the next is neither read nor written. The function launches on
/// the default stream and does not wait for the kernel. As in BLAS,
/// - beta 0 does not read C, which may hold NaN;
/// - alpha 0 reads neither A nor B, and so does k = 0: what remains is C = beta * C;
/// - m = 0 or n = 0 does nothing.
///
/// \param         m, n, k  rows of A and C, columns of B and C, columns of A and rows of B; any
/// \param         alpha
/// \param[in]     A        (m, k) row-major, device memory; may be null if it is not read
/// \param         lda      leading dimension of A, at least k
/// \param[in]     B        (k, n) row-major, device memory; may be null if it is not read
/// \param         ldb      leading dimension of B, at least n
/// \param         beta
/// \param[in,out] C        (m, n) row-major, device memory, not overlapping A or B; may be null if
///                         it is empty
/// \param         ldc      leading dimension of C, at least n
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if m, n or k is negative,
///           if a leading dimension is too small, or if a matrix that is needed is null;
///         - `cudaErrorNotSupported`, with nothing launched or written, if the device has no tensor
///           cores for doubles, which came with compute capability 8.0;
///         - whatever else `cudaGetLastError()` reports after the launch.
///
/// Source: PTX ISA, "Warp-Level Matrix Instructions"; arguments as of dgemm_shared of stage 8.
cudaError_t dgemm_tensor(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc);
