#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#ifndef __NVCC__
#include "common/simt/watch.hpp"
#endif

namespace tilewise::defects {

/// What a buffer holds before the first kernel runs.
enum class Contents {
  input,    ///< 1, 2, 3, ... 100, 1, 2, ...: neighbours differ; no kernel may write there
  zeros,    ///< by cudaMemset; kernels may read and write
  nothing,  ///< fresh memory, to be written before it is read
};

/// Tells the simulator what a range of device memory is; a GPU's tools know allocations alone.
template <class T>
void describe(const T* data, const char* name, std::size_t rows, std::size_t columns,
              Contents contents) {
#ifdef __NVCC__
  (void)data, (void)name, (void)rows, (void)columns, (void)contents;
#else
  simt::BufferDescription description;
  description.name = name;
  description.bytes = rows * columns * sizeof(T);
  description.read_only = contents == Contents::input;
  description.uninitialised = contents == Contents::nothing;
  description.element_bytes = sizeof(T);
  description.row_elements = rows > 1 ? columns : 0;
  simt::describe_buffer(data, description);
#endif
}

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// A matrix or vector in device memory.
template <class T>
class Buffer {
 public:
  Buffer(const char* name, std::size_t size, Contents contents) : Buffer(name, 1, size, contents) {}
  Buffer(const char* name, std::size_t rows, std::size_t columns, Contents contents) {
    const std::size_t size = rows * columns;
    check(cudaMalloc(&data_, size * sizeof(T)));
    if (contents == Contents::input) {
      std::vector<T> values(size);
      for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(i % 100 + 1);
      check(cudaMemcpy(data_, values.data(), size * sizeof(T), cudaMemcpyHostToDevice));
    } else if (contents == Contents::zeros) {
      check(cudaMemset(data_, 0, size * sizeof(T)));
    }
    describe(data_, name, rows, columns, contents);
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace tilewise::defects
