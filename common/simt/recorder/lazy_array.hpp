#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace tilewise::simt {

/// Zeros without end: room for as many elements as may ever be needed, of which only those that
/// are touched take memory. T is all zeros to begin with and needs no destructor.
template <class T>
class LazyArray {
 public:
  explicit LazyArray(std::size_t size) : bytes_(size * sizeof(T)) {
    void* range = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(range);
  }
  ~LazyArray() { munmap(data_, bytes_); }
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  /// Zeros again.
  void clear() {
    mmap(data_, bytes_, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }

 private:
  std::size_t bytes_;
  T* data_;
};

}  // namespace tilewise::simt
