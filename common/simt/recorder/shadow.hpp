#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "common/simt/recorder/record.hpp"

namespace tilewise::simt {

/// Which thread made an access, and between which synchronisations: 22 bits of moment, 10 bits of
/// thread. Moments count up over all blocks that one operating-system thread runs.
using Tag = std::uint32_t;

inline constexpr unsigned thread_bits = 10;  // blocks have at most 1,024 threads
constexpr Tag make_tag(std::uint32_t moment, unsigned thread) {
  return moment << thread_bits | thread;
}
constexpr std::uint32_t moment_of(Tag tag) { return tag >> thread_bits; }
constexpr unsigned thread_of(Tag tag) { return tag & ((1u << thread_bits) - 1); }
constexpr unsigned warp_of_thread(unsigned thread) { return thread / 32; }

/// Which threads have been synchronised with each other in the running block: all threads at a
/// barrier, the lanes of a mask at a __syncwarp().
class Moments {
 public:
  /// @return whether the numbers have run out, so that all existing tags must be forgotten.
  bool start_block(std::size_t warps) {
    const bool run_out = now_ >= last;
    now_ = run_out ? 1 : now_ + 1;
    block_first_ = barrier_ = now_;
    barriers_ = 0;
    synced_.clear();
    synced_.resize(warps);
    return run_out;
  }
  void pass_barrier() {
    barrier_ = ++now_;
    ++barriers_;
  }
  void sync_lanes(unsigned warp, std::uint32_t mask) {
    ++now_;
    if (!synced_[warp]) synced_[warp] = std::make_unique<Matrix>(Matrix{});
    Matrix& synced = *synced_[warp];
    // All of them are now synchronised with everything that one of them was synchronised with.
    std::array<std::uint32_t, 32> joined{};
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      for (unsigned other = 0; other < 32; ++other) {
        joined[other] = std::max(joined[other], synced[lane][other]);
      }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) != 0) joined[lane] = now_;
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) != 0) synced[lane] = joined;
    }
  }

  Tag tag(unsigned thread) const { return make_tag(now_, thread); }
  /// Returns the lowest tag of this block. interval_first() returns the lowest since the last
  /// barrier.
  Tag block_first() const { return make_tag(block_first_, 0); }
  Tag interval_first() const { return make_tag(barrier_, 0); }
  unsigned barriers() const { return barriers_; }

  /// Whether no synchronisation orders the access of `tag` before what `thread` does now.
  bool concurrent(Tag tag, unsigned thread) const {
    if (tag < interval_first() || thread_of(tag) == thread) return false;
    const unsigned warp = warp_of_thread(thread);
    if (warp_of_thread(thread_of(tag)) != warp || !synced_[warp]) return true;
    return moment_of(tag) >= (*synced_[warp])[thread % 32][thread_of(tag) % 32];
  }

 private:
  /// For each pair of lanes: the moment when they last synchronised.
  using Matrix = std::array<std::array<std::uint32_t, 32>, 32>;
  // Leaves room for a block's moments.
  static constexpr std::uint32_t last = (1u << (32 - thread_bits)) - 100'000;

  std::uint32_t now_ = 0, block_first_ = 0, barrier_ = 0;
  unsigned barriers_ = 0;
  std::vector<std::unique_ptr<Matrix>> synced_;
};

}  // namespace tilewise::simt

/// What checks keep about memory, apart from the memory itself.
namespace tilewise::simt {

/// One access, as far as a report names it.
struct AccessRecord {
  Tag tag;
  std::uint32_t site;
};

/// One access of a thread in a grid.
struct GridAccess {
  std::uint32_t block;  ///< in the order blockIdx.x, y, z
  AccessRecord access;
};

/// An array of zeros, large enough for as many elements as may ever be needed; only those that are
/// touched take memory. An all-zero T must be its initial state, and T must need no destructor.
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

  /// Sets all elements to zero again.
  void clear() {
    mmap(data_, bytes_, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }

 private:
  std::size_t bytes_;
  T* data_;
};

/// Holds a T for each allocation of device memory, made from its first place and its size in bytes.
template <class T>
class PerAllocation {
 public:
  PerAllocation() : by_page_(shared_place >> device_page_bits) {}

  /// @param bytes a multiple of the page size
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

  /// Returns the T of the allocation that the place lies in.
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
