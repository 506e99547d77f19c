#pragma once

#include <unistd.h>

#include <utility>

namespace tilewise::grading {

/// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

/// Two connected ends. Neither is inherited by other processes unless handed to them.
struct Pipe {
  FileDescriptor out;  ///< to read from
  FileDescriptor in;   ///< to write to
};

/// @throws std::system_error
Pipe make_pipe();

/// Both ends read and write.
/// @throws std::system_error
Pipe make_socket_pair();

/// /dev/null, for reading and writing.
/// @throws std::system_error
FileDescriptor open_null();

/// Makes reads and writes return at once, with EAGAIN where they would wait.
void make_non_blocking(const FileDescriptor& fd);

}  // namespace tilewise::grading
