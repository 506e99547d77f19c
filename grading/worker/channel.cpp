#include <sys/socket.h>

#include <cerrno>

#include "grading/worker/protocol.hpp"

namespace tilewise::grading {
namespace {

constexpr std::size_t header_bytes = 4;

#ifdef MSG_NOSIGNAL
constexpr int send_flags = MSG_NOSIGNAL;
#else
constexpr int send_flags = 0;  // macOS: the socket itself carries SO_NOSIGPIPE
#endif

}  // namespace

std::string frame(std::string_view message) {
  std::string framed;
  framed.reserve(header_bytes + message.size());
  for (std::size_t i = 0; i < header_bytes; ++i) {
    framed.push_back(static_cast<char>(message.size() >> (8 * i)));
  }
  framed.append(message);
  return framed;
}

std::optional<std::size_t> FrameReader::announced() const {
  if (pending_.size() < header_bytes) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < header_bytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(pending_[i])) << (8 * i);
  }
  return length;
}

bool FrameReader::garbled() const { return announced().value_or(0) > max_message_bytes; }

std::optional<std::string> FrameReader::next() {
  const auto length = announced();
  if (!length || *length > max_message_bytes || pending_.size() < header_bytes + *length) {
    return std::nullopt;
  }
  std::string message = pending_.substr(header_bytes, *length);
  pending_.erase(0, header_bytes + *length);
  return message;
}

bool send_message(int socket, std::string_view message) {
  const std::string framed = frame(message);
  std::string_view rest = framed;
  while (!rest.empty()) {
    const ssize_t sent = send(socket, rest.data(), rest.size(), send_flags);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<std::string> receive_message(int socket, FrameReader& reader) {
  char bytes[4096];
  while (true) {
    if (auto message = reader.next()) return message;
    if (reader.garbled()) return std::nullopt;
    const ssize_t received = recv(socket, bytes, sizeof bytes, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return std::nullopt;
    reader.append({bytes, static_cast<std::size_t>(received)});
  }
}

}  // namespace tilewise::grading
