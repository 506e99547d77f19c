#include "common/simt/runtime/device_calls.hpp"

#include <unistd.h>

#include <cerrno>

namespace tilewise::simt {

bool send_all(int socket, const void* bytes, std::size_t count) {
  const auto* next = static_cast<const std::byte*>(bytes);
  while (count > 0) {
    const ssize_t sent = write(socket, next, count);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    next += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* bytes, std::size_t count) {
  auto* next = static_cast<std::byte*>(bytes);
  while (count > 0) {
    const ssize_t received = read(socket, next, count);
    if (received < 0 && errno == EINTR) continue;
    if (received == 0) errno = EPIPE;
    if (received <= 0) return false;
    next += received;
    count -= static_cast<std::size_t>(received);
  }
  return true;
}

}  // namespace tilewise::simt
