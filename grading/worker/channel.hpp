#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// Longest message either side accepts. The longest honest one, a reply with all the launches,
/// findings and lines of source it may list, is half of this.
inline constexpr std::size_t max_message_bytes = std::size_t{1} << 20;

/// A message as it goes over the wire: four bytes of length, little-endian, then the text.
std::string frame(std::string_view message);

/// Cuts a stream of bytes into messages. The stream may be hostile.
class FrameReader {
 public:
  void append(std::string_view bytes) { pending_.append(bytes); }

  /// The next message, once it has arrived whole.
  std::optional<std::string> next();

  /// The stream announces a message longer than max_message_bytes: it is no stream of ours.
  bool garbled() const;

  /// Nothing has arrived that next() has not given out.
  bool empty() const { return pending_.empty(); }

 private:
  std::optional<std::size_t> announced() const;

  std::string pending_;
};

/// Sends the whole message over a socket, without raising SIGPIPE.
/// @return whether it went out; false with errno set otherwise.
bool send_message(int socket, std::string_view message);

/// Waits for the next message on a blocking socket.
/// @return nothing once the other side has closed, or sends what is no message.
std::optional<std::string> receive_message(int socket, FrameReader& reader);

}  // namespace tilewise::grading
