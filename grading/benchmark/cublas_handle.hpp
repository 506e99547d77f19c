#pragma once

#include <cublas_v2.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace tilewise::benchmark {

/// @throws std::runtime_error unless `status` is success
inline void check_cublas(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(function) + " failed: " + cublasGetStatusString(status));
}

/// A handle for full precision: no TF32.
/// @throws std::runtime_error
inline std::shared_ptr<cublasContext> make_cublas_handle() {
  cublasHandle_t handle = nullptr;
  check_cublas(cublasCreate(&handle), "cublasCreate");
  std::shared_ptr<cublasContext> owner(handle, cublasDestroy);
  check_cublas(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  return owner;
}

}  // namespace tilewise::benchmark
