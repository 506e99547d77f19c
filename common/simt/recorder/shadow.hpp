#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "common/simt/recorder/access.hpp"
#include "common/simt/recorder/time_tags.hpp"

/// What checks keep of memory beside the memory itself.
namespace tilewise::simt {

/// One access as a report names it.
struct AccessRecord {
  Tag tag;
  std::uint32_t site;
};

/// One access in a grid.
struct GridAccess {
  std::uint32_t block;  ///< in the order blockIdx.x, y, z
  AccessRecord access;
};

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

/// A T for each allocation of device memory, made from its first place and its bytes.
template <class T>
class PerAllocation {
 public:
  PerAllocation() : by_page_(shared_place >> device_page_bits) {}

  /// @param bytes whole pages
  void add(Place first, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    owned_.push_back({first, std::make_unique<T>(first, bytes)});
    set(first, bytes, owned_.back().of.get());
  }
  void remove(Place first, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    set(first, bytes, nullptr);
    std::erase_if(owned_, [&](const Owned& owned) { return owned.first == first; });
  }

  /// That of the allocation which the place lies in.
  T& at(Place place) {
    return *by_page_[place >> device_page_bits].load(std::memory_order_acquire);
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    const std::lock_guard lock(mutex_);
    for (const Owned& owned : owned_) visit(*owned.of);
  }

 private:
  struct Owned {
    Place first;
    std::unique_ptr<T> of;
  };

  void set(Place first, std::size_t bytes, T* of) {
    const std::size_t begin = first >> device_page_bits;
    for (std::size_t i = 0; i < bytes >> device_page_bits; ++i) {
      by_page_[begin + i].store(of, std::memory_order_release);
    }
  }

  std::mutex mutex_;
  std::vector<Owned> owned_;
  std::vector<std::atomic<T*>> by_page_;
};

}  // namespace tilewise::simt
