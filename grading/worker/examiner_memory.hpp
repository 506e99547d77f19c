#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "common/cuda/device_buffer.hpp"

namespace tilewise::grading {

/// Memory that the examiner shares: the images of every call, at offsets that requests name, and
/// room behind them. Offsets and sizes must lie within size().
class ExaminerMemory {
 public:
  ExaminerMemory() = default;
  virtual ~ExaminerMemory() = default;
  ExaminerMemory(const ExaminerMemory&) = delete;
  ExaminerMemory& operator=(const ExaminerMemory&) = delete;

  virtual std::size_t size() const = 0;

  /// Fills a buffer with what lies there.
  /// @throws cuda::Error, std::system_error
  virtual void upload(std::size_t offset, cuda::DeviceBuffer& to) const = 0;

  /// Leaves there what a buffer holds.
  /// @throws cuda::Error, std::system_error
  virtual void download(const cuda::DeviceBuffer& from, std::size_t offset) = 0;

  /// @throws std::system_error
  virtual void write(std::size_t offset, std::span<const std::byte> bytes) = 0;
};

/// At addresses of this process, from which a GPU takes it at once. Closes the descriptor.
/// @throws std::system_error
std::unique_ptr<ExaminerMemory> mapped_memory(int descriptor);

/// Where nothing in this process has its address, kernels that run here least of all.
/// @throws std::system_error
std::unique_ptr<ExaminerMemory> memory_behind(int descriptor);

}  // namespace tilewise::grading
