#include "grading/stages/cublas_calls.hpp"

using tilewise::baselines::cublas;
using tilewise::baselines::error_of;

// cuBLAS adds up magnitudes and products, but no vector as it is; nor has it a softmax.
cudaError_t sum_shared(float*, const float*, int) { return cudaErrorNotSupported; }
cudaError_t sum_shuffle(float*, const float*, int) { return cudaErrorNotSupported; }
cudaError_t sum_atomic(float*, const float*, int) { return cudaErrorNotSupported; }
cudaError_t softmax_rows(float*, const float*, int, int) { return cudaErrorNotSupported; }

cudaError_t gemv(int m, int n, float alpha, const float* A, int lda, const float* x, float beta,
                 float* y) {
  // By columns, A is its transpose.
  return error_of(cublasSgemv(cublas(), CUBLAS_OP_T, n, m, &alpha, A, lda, x, 1, &beta, y, 1));
}
