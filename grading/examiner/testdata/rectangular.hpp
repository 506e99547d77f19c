/// \file
/// Contract functions of the fixture module that stands in for submissions of stages with
/// rectangular matrices: right ones, and one for each mistake that the fixtures must find.
#pragma once

#include <cuda_runtime.h>

cudaError_t transpose_right(float* out, const float* in, int rows, int cols);
cudaError_t transpose_copies(float* out, const float* in, int rows, int cols);
cudaError_t transpose_unguarded(float* out, const float* in, int rows, int cols);
cudaError_t transpose_clears_in(float* out, const float* in, int rows, int cols);
cudaError_t transpose_once(float* out, const float* in, int rows, int cols);
cudaError_t transpose_any_shape(float* out, const float* in, int rows, int cols);

cudaError_t dgemm_right(int m, int n, int k, double alpha, const double* A, int lda,
                        const double* B, int ldb, double beta, double* C, int ldc);
cudaError_t dgemm_reads_all(int m, int n, int k, double alpha, const double* A, int lda,
                            const double* B, int ldb, double beta, double* C, int ldc);
cudaError_t dgemm_dense(int m, int n, int k, double alpha, const double* A, int lda,
                        const double* B, int ldb, double beta, double* C, int ldc);
cudaError_t dgemm_in_float(int m, int n, int k, double alpha, const double* A, int lda,
                           const double* B, int ldb, double beta, double* C, int ldc);

cudaError_t dtrsm_right(int m, int n, double alpha, const double* A, int lda, double* B, int ldb);
cudaError_t dtrsm_without_updates(int m, int n, double alpha, const double* A, int lda, double* B,
                                  int ldb);
cudaError_t dtrsm_loads_all(int n, double alpha, const double* A, int lda, double* B, int ldb);
