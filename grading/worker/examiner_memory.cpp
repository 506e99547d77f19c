#include "grading/worker/examiner_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace tilewise::grading {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::size_t size_of(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) fail("cannot measure the shared memory");
  return static_cast<std::size_t>(status.st_size);
}

class MappedMemory final : public ExaminerMemory {
 public:
  explicit MappedMemory(int descriptor) {
    const std::size_t bytes = size_of(descriptor);
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (address == MAP_FAILED) fail("cannot map the shared memory");
    close(descriptor);
    bytes_ = {static_cast<std::byte*>(address), bytes};
  }
  ~MappedMemory() override { munmap(bytes_.data(), bytes_.size()); }

  std::size_t size() const override { return bytes_.size(); }
  void upload(std::size_t offset, cuda::DeviceBuffer& to) const override {
    to.upload(bytes_.data() + offset);
  }
  void download(const cuda::DeviceBuffer& from, std::size_t offset) override {
    from.download(bytes_.data() + offset);
  }
  void write(std::size_t offset, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, bytes_.begin() + std::ptrdiff_t(offset));
  }

 private:
  std::span<std::byte> bytes_;
};

/// Passes everything through a buffer. If the memory were mapped, it would have to be put out of
/// the reach of kernels for each call, and its pages would be looked up anew after each, at
/// microseconds a page.
class MemoryBehind final : public ExaminerMemory {
 public:
  explicit MemoryBehind(int descriptor)
      : descriptor_(descriptor), size_(size_of(descriptor)), passing_(most_at_once) {}
  ~MemoryBehind() override { close(descriptor_); }

  std::size_t size() const override { return size_; }

  void upload(std::size_t offset, cuda::DeviceBuffer& to) const override {
    for_parts_of(to.bytes(), [&](std::size_t at, std::span<std::byte> part) {
      transfer(pread, part, offset + at);
      to.upload_part(at, part);
    });
  }

  void download(const cuda::DeviceBuffer& from, std::size_t offset) override {
    for_parts_of(from.bytes(), [&](std::size_t at, std::span<std::byte> part) {
      from.download_part(at, part);
      transfer(pwrite, part, offset + at);
    });
  }

  void write(std::size_t offset, std::span<const std::byte> bytes) override {
    for_parts_of(bytes.size(), [&](std::size_t at, std::span<std::byte> part) {
      std::ranges::copy(bytes.subspan(at, part.size()), part.begin());
      transfer(pwrite, part, offset + at);
    });
  }

 private:
  /// A part of this size fits into a second-level cache.
  static constexpr std::size_t most_at_once = std::size_t{256} << 10;

  template <class Pass>
  void for_parts_of(std::size_t bytes, Pass&& pass) const {
    for (std::size_t at = 0; at < bytes; at += most_at_once) {
      pass(at, std::span(passing_).first(std::min(most_at_once, bytes - at)));
    }
  }

  /// Transfers the whole part by `function`, which is pread() or pwrite().
  template <class Function>
  void transfer(Function&& function, std::span<std::byte> part, std::size_t offset) const {
    while (!part.empty()) {
      const ssize_t done =
          function(descriptor_, part.data(), part.size(), static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail("cannot reach the shared memory");
      if (done == 0) throw std::system_error(EIO, std::generic_category(), "shared memory ends");
      part = part.subspan(static_cast<std::size_t>(done));
      offset += static_cast<std::size_t>(done);
    }
  }

  int descriptor_;
  std::size_t size_;
  mutable std::vector<std::byte> passing_;
};

}  // namespace

std::unique_ptr<ExaminerMemory> mapped_memory(int descriptor) {
  return std::make_unique<MappedMemory>(descriptor);
}

std::unique_ptr<ExaminerMemory> memory_behind(int descriptor) {
  return std::make_unique<MemoryBehind>(descriptor);
}

}  // namespace tilewise::grading
