#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace tilewise::cuda {

/// A CUDA run-time call that failed: the expression, the place and CUDA's reason.
class Error : public std::runtime_error {
 public:
  Error(cudaError_t status, const char* expression, const char* file, int line)
      : std::runtime_error(std::string(expression) + " failed: " + cudaGetErrorString(status) +
                           " (" + cudaGetErrorName(status) + ") at " + file + ":" +
                           std::to_string(line)),
        status_(status) {}

  cudaError_t status() const { return status_; }

 private:
  cudaError_t status_;
};

/// @throws Error unless `status` is cudaSuccess.
inline void check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status != cudaSuccess) throw Error(status, expression, file, line);
}

}  // namespace tilewise::cuda

/// Calls a CUDA run-time function and throws tilewise::cuda::Error if it fails. A macro, because
/// the message quotes the expression and its place.
#define TILEWISE_CUDA_CHECK(expression) \
  ::tilewise::cuda::check((expression), #expression, __FILE__, __LINE__)
