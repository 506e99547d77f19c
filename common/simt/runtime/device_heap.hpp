#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tilewise::simt {

/// What `new` and malloc() of kernels give: a part of device memory that lives from one launch to
/// the next. What a kernel gives back is given out again only when nothing is in use at a launch's
/// begin. Accesses are looked at some time after they are made, so that those of two owners could
/// otherwise not be told apart.
class DeviceHeap {
 public:
  static DeviceHeap& instance();

  /// @return memory aligned to at least 16 bytes; null where cudaLimitMallocHeapSize is in use
  void* allocate(std::size_t bytes, std::size_t alignment);

  /// @return false where no kernel was given `pointer`, or it has been given back
  bool release(void* pointer);

  void begin_launch();
  void set_limit(std::size_t bytes);
  /// Device memory is given back as a whole.
  void forget();

 private:
  std::mutex mutex_;
  std::size_t limit_ = std::size_t{8} << 20;
  std::map<std::byte*, std::size_t> live_;  ///< bytes by start
  std::size_t live_bytes_ = 0;
  std::vector<std::byte*> chunks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace tilewise::simt
