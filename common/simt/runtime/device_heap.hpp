#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tilewise::simt {

/// The memory that `new` and malloc() of kernels return: a part of device memory that lives from
/// one launch to the next. Memory that a kernel frees is reused only if nothing is in use when a
/// launch begins: accesses are checked some time after they are made, so those of two owners could
/// otherwise not be distinguished.
class DeviceHeap {
 public:
  static DeviceHeap& instance();

  /// @return memory aligned to at least 16 bytes; null if cudaLimitMallocHeapSize is used up
  void* allocate(std::size_t bytes, std::size_t alignment);

  /// @return false if no kernel was given `pointer`, or it has been freed before
  bool release(void* pointer);

  void begin_launch();
  void set_limit(std::size_t bytes);
  /// Call when all device memory is released.
  void forget();

 private:
  std::mutex mutex_;
  std::size_t limit_ = std::size_t{8} << 20;
  std::map<std::byte*, std::size_t> live_;  ///< sizes in bytes, by start
  std::size_t live_bytes_ = 0;
  std::vector<std::byte*> chunks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace tilewise::simt
