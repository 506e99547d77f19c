#pragma once

#include <cstddef>
#include <span>

#include "common/process/descriptors.hpp"

namespace tilewise::grading {

/// Memory shared with a process that inherits its descriptor. Its size is fixed: on Linux nobody
/// can shrink it, which would make the other side's accesses fault.
class SharedMemory {
 public:
  /// @param bytes at least this much is mapped, filled with zeros
  /// @throws std::system_error
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  int fd() const { return fd_.get(); }
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  FileDescriptor fd_;
  std::span<std::byte> bytes_;
};

}  // namespace tilewise::grading
