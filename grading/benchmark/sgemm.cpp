#include "grading/benchmark/sgemm.hpp"

#ifdef TILEWISE_HAVE_CUBLAS
#include <cublas_v2.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace tilewise::benchmark {
namespace {

void check(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(function) + " failed: " + cublasGetStatusString(status));
}

}  // namespace

std::optional<std::function<void(const float*, const float*, float*, int)>> cublas_sgemm() {
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cublasCreate");
  const std::shared_ptr<cublasContext> owner(handle, cublasDestroy);
  check(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");  // no TF32
  return [owner](const float* A, const float* B, float* C, int n) {
    const float one = 1, zero = 0;
    // cuBLAS is column-major: what is C = A * B by rows is C = B * A by columns.
    check(
        cublasSgemm(owner.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, B, n, A, n, &zero, C, n),
        "cublasSgemm");
  };
}

}  // namespace tilewise::benchmark
#else
namespace tilewise::benchmark {

std::optional<std::function<void(const float*, const float*, float*, int)>> cublas_sgemm() {
  return std::nullopt;
}

}  // namespace tilewise::benchmark
#endif
