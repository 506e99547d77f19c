/// \file
/// Contract of stage 8, second part. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// Solves A * X = alpha * B for X, which replaces B, in double precision, on parts of larger
/// matrices.
///
/// A is lower triangular; its diagonal is not taken to be 1, and nothing above it is ever read. A
/// leading dimension is the distance, in elements, from one row to the next; what lies between the
/// end of a row and the start of the next is neither read nor written. The functions launch on the
/// default stream and do not wait. As in BLAS, alpha 0 sets B to 0 and reads neither A nor B.
///
/// \param         n      columns of B; 0 does nothing and allows null pointers
/// \param         alpha
/// \param[in]     A      (32, 32) row-major, lower triangular, without a 0 on its diagonal; device
///                       memory
/// \param         lda    leading dimension of A, at least its order
/// \param[in,out] B      (32, n) row-major, device memory, not overlapping A; X afterwards
/// \param         ldb    leading dimension of B, at least n
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if m or n is negative, if a
///           leading dimension is too small, or if a matrix is null although m and n are not 0;
///         - whatever else `cudaGetLastError()` reports after the launches.
///
/// Each unknown, once it is known, goes to the other threads of its column through shared memory.
///
/// Source: Universidad de la Republica 2020 (fing2020).
cudaError_t dtrsm_32_shared(int n, double alpha, const double* A, int lda, double* B, int ldb);

/// The same, but each unknown goes to the other threads of its column by a warp shuffle.
cudaError_t dtrsm_32_shuffle(int n, double alpha, const double* A, int lda, double* B, int ldb);

/// The same for A of any order, by a sweep over its diagonal: 32 rows are solved, and what they
/// contribute to all rows below is subtracted.
///
/// \param m  order of A, rows of B: A is (m, m), B is (m, n); 0 does nothing and allows null
///           pointers
cudaError_t dtrsm_blocked(int m, int n, double alpha, const double* A, int lda, double* B, int ldb);

/// The same by recursion: A is cut in four, its upper left part solved, one product subtracted, its
/// lower right part solved. O(m / 32) solves, and few, large products.
cudaError_t dtrsm_recursive(int m, int n, double alpha, const double* A, int lda, double* B,
                            int ldb);
