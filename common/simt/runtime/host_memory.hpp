#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

namespace tilewise::simt {

/// Ranges of memory, by their start. Threads of a program may share them.
class Ranges {
 public:
  void insert(const void* start, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    ranges_[static_cast<const std::byte*>(start)] = bytes;
  }
  void erase(const void* start) {
    const std::lock_guard lock(mutex_);
    ranges_.erase(static_cast<const std::byte*>(start));
  }
  bool hold(const void* start, std::size_t bytes) const {
    const auto* const first = static_cast<const std::byte*>(start);
    const std::lock_guard lock(mutex_);
    const auto after = ranges_.upper_bound(first);
    if (after == ranges_.begin()) return false;
    const auto& [begin, length] = *std::prev(after);
    const auto offset = static_cast<std::size_t>(first - begin);
    return offset < length && bytes <= length - offset;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::size_t> ranges_;
};

/// Returns the host memory that kernels may access although it does not lie in the address range of
/// device memory.
Ranges& registered();

/// From here on, the host's accesses to memory that it shares with the device are followed, and so
/// is whether it has waited before.
/// @param variables a module's variables, some of which are shared
void follow_host(std::uintptr_t variables = 0, std::size_t variables_bytes = 0);

}  // namespace tilewise::simt
