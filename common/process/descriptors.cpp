#include "common/process/descriptors.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tilewise::grading {
namespace {

Pipe own(const int (&ends)[2]) {
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace

Pipe make_pipe() {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "cannot pipe");
  return own(ends);
}

Pipe make_socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a socket pair");
  }
#ifdef SO_NOSIGPIPE  // macOS, in place of Linux's MSG_NOSIGNAL
  const int on = 1;
  for (const int end : ends) setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return own(ends);
}

FileDescriptor open_null() {
  FileDescriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) throw std::system_error(errno, std::generic_category(), "cannot open /dev/null");
  return null;
}

void make_non_blocking(const FileDescriptor& fd) {
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace tilewise::grading
