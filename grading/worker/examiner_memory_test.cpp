#include "grading/worker/examiner_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace tilewise::grading {
namespace {

constexpr std::size_t page = 4096, at_once = std::size_t{256} << 10;

/// A shared file such as an examiner makes, filled with numbers that differ.
class SharedFile {
 public:
  explicit SharedFile(std::size_t bytes) : bytes_(bytes), fd_(memfd_create("shared", 0)) {
    std::vector<std::byte> content(bytes);
    for (std::size_t i = 0; i < bytes; ++i) content[i] = value(i);
    EXPECT_EQ(pwrite(fd_, content.data(), bytes, 0), static_cast<ssize_t>(bytes));
  }
  ~SharedFile() { close(fd_); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  static std::byte value(std::size_t i) { return static_cast<std::byte>(i * 7 + i / 251); }

  int other_descriptor() const { return dup(fd_); }

  std::vector<std::byte> content() const {
    std::vector<std::byte> content(bytes_);
    EXPECT_EQ(pread(fd_, content.data(), bytes_, 0), static_cast<ssize_t>(bytes_));
    return content;
  }

 private:
  std::size_t bytes_;
  int fd_;
};

struct Case {
  const char* name;
  std::size_t offset, bytes;
};

class ExaminerMemoryTest : public testing::TestWithParam<Case> {};

TEST_P(ExaminerMemoryTest, HoldsWhatABufferHolds) {
  const auto [name, offset, bytes] = GetParam();
  for (const auto open : {mapped_memory, memory_behind}) {
    const SharedFile file(3 * at_once);
    const std::unique_ptr<ExaminerMemory> memory = open(file.other_descriptor());
    ASSERT_EQ(memory->size(), 3 * at_once);
    cuda::DeviceBuffer buffer(bytes);
    memory->upload(offset, buffer);
    std::vector<std::byte> held(bytes);
    buffer.download(held.data());
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(held[i], SharedFile::value(offset + i)) << i;

    for (std::byte& each : held) each = ~each;
    buffer.upload(held.data());
    memory->download(buffer, offset);
    std::vector<std::byte> content = file.content();
    for (std::size_t i = 0; i < content.size(); ++i) {
      const bool is_in_it = i >= offset && i < offset + bytes;
      ASSERT_EQ(content[i], is_in_it ? ~SharedFile::value(i) : SharedFile::value(i)) << i;
    }
    for (std::byte& each : held) each = std::byte{5};
    memory->write(offset, held);
    content = file.content();
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(content[offset + i], std::byte{5}) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, ExaminerMemoryTest,
    testing::Values(Case{"Nothing", 0, 0}, Case{"OneByte", 17, 1}, Case{"APage", page, page},
                    Case{"OneByteLess", 3, at_once - 1}, Case{"AsMuchAsAtOnce", at_once, at_once},
                    Case{"OneByteMore", 5, at_once + 1}, Case{"AllOfIt", 0, 3 * at_once}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExaminerMemory, EndsWhereTheFileDoes) {
  const SharedFile file(page);
  const auto memory = memory_behind(file.other_descriptor());
  cuda::DeviceBuffer buffer(page);
  EXPECT_THROW(memory->upload(page, buffer), std::system_error);
}

TEST(ExaminerMemory, IsThereOrNot) {
  EXPECT_THROW(memory_behind(-1), std::system_error);
  EXPECT_THROW(mapped_memory(-1), std::system_error);
}

}  // namespace
}  // namespace tilewise::grading
