/// \file
/// Calls cuBLAS through the contracts of the stages, for comparison with a student's kernels on a
/// GPU.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

namespace tilewise::baselines {

/// Returns a handle for the default stream with cuBLAS's default settings: with tensor cores for
/// double precision, if there are any, and without TF32 for single precision. It is null if cuBLAS
/// cannot start.
inline cublasHandle_t cublas() {
  static const cublasHandle_t handle = [] {
    cublasHandle_t created = nullptr;
    return cublasCreate(&created) == CUBLAS_STATUS_SUCCESS ? created : nullptr;
  }();
  return handle;
}

inline cudaError_t error_of(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? cudaGetLastError() : cudaErrorUnknown;
}

/// C = A * B; A, B, C: (n, n), row-major.
inline cudaError_t multiply(const float* A, const float* B, float* C, int n) {
  const float one = 1, zero = 0;
  // cuBLAS is column-major: C = A * B by rows is C = B * A by columns.
  return error_of(
      cublasSgemm(cublas(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, B, n, A, n, &zero, C, n));
}

/// C = alpha * A * B + beta * C, row-major; A: (m, k), B: (k, n), C: (m, n).
inline cudaError_t multiply_add(int m, int n, int k, double alpha, const double* A, int lda,
                                const double* B, int ldb, double beta, double* C, int ldc) {
  return error_of(cublasDgemm(cublas(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, B, ldb, A, lda,
                              &beta, C, ldc));
}

/// A * X = alpha * B, X over B, row-major; A: (m, m), lower triangular, B: (m, n).
inline cudaError_t solve(int m, int n, double alpha, const double* A, int lda, double* B, int ldb) {
  // By columns this is X * A = alpha * B with A upper triangular.
  return error_of(cublasDtrsm(cublas(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                              CUBLAS_DIAG_NON_UNIT, n, m, &alpha, A, lda, B, ldb));
}

/// out = in transposed; in: (rows, cols), out: (cols, rows), row-major.
inline cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  const float one = 1, zero = 0;
  return error_of(cublasSgeam(cublas(), CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, in, cols, &zero,
                              nullptr, rows, out, rows));
}

}  // namespace tilewise::baselines
