#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "common/cuda/device_buffer.hpp"

namespace tilewise::grading {

/// Memory that the examiner shares with the worker. It holds the images of every call, at the
/// offsets that requests name, and has room behind them. Offsets and sizes must lie within size().
class ExaminerMemory {
 public:
  ExaminerMemory() = default;
  virtual ~ExaminerMemory() = default;
  ExaminerMemory(const ExaminerMemory&) = delete;
  ExaminerMemory& operator=(const ExaminerMemory&) = delete;

  virtual std::size_t size() const = 0;

  /// Fills a buffer with the bytes at `offset`.
  /// @throws cuda::Error, std::system_error
  virtual void upload(std::size_t offset, cuda::DeviceBuffer& to) const = 0;

  /// Writes the contents of a buffer to `offset`.
  /// @throws cuda::Error, std::system_error
  virtual void download(const cuda::DeviceBuffer& from, std::size_t offset) = 0;

  /// @throws std::system_error
  virtual void write(std::size_t offset, std::span<const std::byte> bytes) = 0;
};

/// Maps the memory into this process, so that a GPU can copy it directly. Closes the descriptor.
/// @throws std::system_error
std::unique_ptr<ExaminerMemory> mapped_memory(int descriptor);

/// Accesses the memory by system calls, so that nothing in this process has an address of it, least
/// of all the kernels that run here. The object closes the descriptor at its end.
/// @throws std::system_error
std::unique_ptr<ExaminerMemory> memory_behind(int descriptor);

}  // namespace tilewise::grading
