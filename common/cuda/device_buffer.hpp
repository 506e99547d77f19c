#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

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

/// Calls a CUDA run-time function and throws tilewise::cuda::Error if it fails. This is a macro
/// because the message quotes the expression and its place.
#define TILEWISE_CUDA_CHECK(expression) \
  ::tilewise::cuda::check((expression), #expression, __FILE__, __LINE__)

namespace tilewise::cuda {

/// Owns an allocation in device memory.
class DeviceBuffer {
 public:
  /// @throws Error if the device has no room for `bytes`.
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) TILEWISE_CUDA_CHECK(cudaMalloc(&data_, bytes));
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  // A destructor cannot report an error. After a kernel has failed, every later call fails with its
  // error.
  ~DeviceBuffer() { static_cast<void>(cudaFree(data_)); }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  /// Fills the buffer from host memory of bytes() bytes.
  /// @throws Error
  void upload(const void* host) {
    if (bytes_ > 0) TILEWISE_CUDA_CHECK(cudaMemcpy(data_, host, bytes_, cudaMemcpyHostToDevice));
  }

  /// Fills a part of the buffer, beginning `offset` bytes from its start.
  /// @throws Error
  void upload_part(std::size_t offset, std::span<const std::byte> host) {
    TILEWISE_CUDA_CHECK(cudaMemcpy(static_cast<std::byte*>(data_) + offset, host.data(),
                                   host.size(), cudaMemcpyHostToDevice));
  }

  /// Copies a part of the buffer to host memory, from `offset` bytes on.
  /// @throws Error
  void download_part(std::size_t offset, std::span<std::byte> host) const {
    TILEWISE_CUDA_CHECK(cudaMemcpy(host.data(), static_cast<const std::byte*>(data_) + offset,
                                   host.size(), cudaMemcpyDeviceToHost));
  }

  /// Copies another buffer of the same size into this one, on the default stream.
  /// @throws Error
  void copy_from(const DeviceBuffer& other) {
    if (bytes_ > 0) {
      TILEWISE_CUDA_CHECK(
          cudaMemcpyAsync(data_, other.data_, bytes_, cudaMemcpyDeviceToDevice, nullptr));
    }
  }

  /// Copies the buffer to host memory of bytes() bytes.
  /// @throws Error
  void download(void* host) const {
    if (bytes_ > 0) TILEWISE_CUDA_CHECK(cudaMemcpy(host, data_, bytes_, cudaMemcpyDeviceToHost));
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tilewise::cuda
