/// \file
/// Contract of stage 10. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// *sum = x[0] + x[1] + ... + x[n - 1], three kernels on the way from shared memory to registers.
///
/// The order of the additions is free, and so is what it rounds. The functions launch on the
/// default stream and do not wait for the kernels.
///
/// \param[out] sum  one element, device memory, not overlapping x; written and never read: what it
///                  holds before the call is not added
/// \param[in]  x    (n), device memory
/// \param      n    elements; any; 0 does nothing, allows null pointers, and leaves *sum as it is
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, or if a
///           pointer is null although n is not 0;
///         - whatever else `cudaGetLastError()` reports after the launches.
///
/// The threads of a block put their sums into shared memory and add them up as a tree; what the
/// blocks come to is added up by a second launch.
///
/// Source: M. Harris, Optimizing parallel reduction in CUDA, NVIDIA 2007.
cudaError_t sum_shared(float* sum, const float* x, int n);

/// The same with the sums of a warp handed from register to register.
///
/// Source: J. Luitjens, Faster parallel reductions on Kepler, NVIDIA 2014.
cudaError_t sum_shuffle(float* sum, const float* x, int n);

/// The same in one launch of a kernel, at whose end each block adds its sum to *sum atomically.
cudaError_t sum_atomic(float* sum, const float* x, int n);

/// y = alpha * A * x + beta * y: a sum of products for each row.
///
/// As in BLAS,
/// - beta 0 does not read y, which may hold NaN;
/// - alpha 0 reads neither A nor x: what remains is y = beta * y;
/// - m = 0 or n = 0 does nothing.
///
/// The function launches on the default stream and does not wait for the kernel.
///
/// \param         m, n   rows and columns of A; any
/// \param         alpha
/// \param[in]     A      (m, n) row-major, device memory; may be null if it is not read
/// \param         lda    distance from one row of A to the next, in elements, at least n and at
///                       least 1; what lies between rows is not read
/// \param[in]     x      (n), device memory; may be null if it is not read
/// \param         beta
/// \param[in,out] y      (m), device memory, not overlapping A or x; may be null if m or n is 0
///
/// \return as sum_shared(); `cudaErrorInvalidValue` if m or n is negative, if lda is too small, or
///         if a pointer that is needed is null.
cudaError_t gemv(int m, int n, float alpha, const float* A, int lda, const float* x, float beta,
                 float* y);

/// out[r][c] = exp(in[r][c]) / (exp(in[r][0]) + ... + exp(in[r][cols - 1])), numerically safe: the
/// result is right also where exp() of an element overflows, or that of all of them is 0.
///
/// An element of -inf becomes 0. A row of nothing but -inf has no softmax: its results may be
/// anything, NaN as well, but are written. No element is NaN or +inf. What is below the smallest
/// normal float may be 0.
///
/// The function launches on the default stream and does not wait for the kernels.
///
/// \param[out] out         (rows, cols) row-major, device memory, not overlapping in; every element
///                         is written
/// \param[in]  in          (rows, cols) row-major, device memory
/// \param      rows, cols  any; 0 does nothing and allows null pointers
///
/// \return as sum_shared(); `cudaErrorInvalidValue` if rows or cols is negative, or if a pointer is
///         null although neither is 0.
///
/// Source: M. Milakov and N. Gimelshein, Online normalizer calculation for softmax, 2018.
cudaError_t softmax_rows(float* out, const float* in, int rows, int cols);
