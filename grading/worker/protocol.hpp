#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// The longest message that either side accepts. The longest honest one, a reply with all the
/// launches, findings and lines of source it may list, is half of this.
inline constexpr std::size_t max_message_bytes = std::size_t{1} << 20;

/// Returns a message as it goes over the wire: four bytes of length, little-endian, then the text.
std::string frame(std::string_view message);

/// Cuts a stream of bytes into messages. The stream may be hostile.
class FrameReader {
 public:
  void append(std::string_view bytes) { pending_.append(bytes); }

  /// Returns the next message, once it has arrived completely.
  std::optional<std::string> next();

  /// Whether the stream announces a message longer than max_message_bytes, which no honest sender
  /// does.
  bool garbled() const;

  /// Whether next() has returned everything that has arrived.
  bool empty() const { return pending_.empty(); }

 private:
  std::optional<std::size_t> announced() const;

  std::string pending_;
};

/// Sends the whole message over a socket, without raising SIGPIPE.
/// @return whether it was sent; if not, errno is set.
bool send_message(int socket, std::string_view message);

/// Waits for the next message on a blocking socket.
/// @return nothing once the other side has closed the socket or has sent something else.
std::optional<std::string> receive_message(int socket, FrameReader& reader);

/// Descriptors that a worker inherits.
inline constexpr int channel_fd = 3;  ///< stream socket to the examiner
inline constexpr int memory_fd = 4;   ///< shared memory that holds the matrices
inline constexpr int fault_fd = 5;    ///< pipe for the Fault that ends the worker

/// Exit statuses that the worker itself returns.
inline constexpr int exit_not_started_by_examiner = 2;
inline constexpr int exit_no_device = 3;

/// A reply lists at most this many launches, and as many findings and profiles. A launch in a
/// loop would otherwise make any message too long.
inline constexpr std::size_t max_listed = 64;

/// The most source lines that a reply's profiles list together.
inline constexpr std::size_t max_listed_lines = 256;

/// The most DRAM partitions that a profile lists; GT200 has 8.
inline constexpr std::size_t max_partitions = 64;

/// The most runs of blocks that a reply's profiles list together; those of one launch always fit. A
/// profile with more runs than there is room left for lists none.
inline constexpr std::size_t max_listed_runs = simt::most_block_runs;

/// The first message to a worker, sent before any of the student's code has run in it.
struct Hello {
  std::string token;   ///< secret; every reply repeats it, so that a forged reply is recognised
  std::string module;  ///< path of the shared object to load
  core::GpuProfile profile;
  /// Whether the module counts how often its lines run. The counts are written to files after every
  /// call, so the worker must be allowed to write files.
  bool writes_coverage = false;
};

/// The message that the examiner sends once the matrices of a timed call's timed runs are in shared
/// memory.
inline constexpr std::string_view inputs_are_there = "{}";

/// A worker's answer. One `started` and one `loaded` follow the hello, then one answer per call.
/// Before the answer to a timed call the worker sends `warmed_up` and waits for `inputs_are_there`.
struct WorkerReply {
  enum class Kind {
    started,        ///< the device is ready; the module is loaded next
    loaded,         ///< the module is loaded; calls are welcome
    warmed_up,      ///< the function has run with what was in shared memory, untimed
    returned,       ///< the function returned, and its outputs are in shared memory
    failed,         ///< the student's code failed in a way the worker survived to report
    kernel_failed,  ///< a kernel failed; the device takes further calls once it is reset
    refused,        ///< the request is impossible; the student's code is not to blame
    tampered,       ///< the student's code forged a message of its own process
  };
  Kind kind = Kind::refused;
  int status = 0;           ///< cudaError_t
  std::string status_name;  ///< e.g. "cudaErrorInvalidValue"
  int launches = 0;
  std::size_t bytes_for_the_host = 0;  ///< bytes of the device that the host could read
  /// Names of the libraries that the module has loaded so far, without folders. "a library" stands
  /// for those that it has unloaded again.
  std::vector<std::string> loaded_libraries;
  std::vector<LaunchInfo> launch_list;
  std::vector<Finding> findings;
  std::vector<KernelProfile> profiles;  ///< only if counters were asked for
  std::vector<double> times_ms;
  double copies_ms = 0;         ///< if timed: copying matrices to the device and results back
  std::size_t trace_bytes = 0;  ///< length of the trace at trace_offset(), if one was asked for
  std::string message;          ///< for failed, kernel_failed, refused and tampered
  DeviceInfo device;            ///< for started
};

/// Returns the offset in shared memory at which a worker writes the trace of a call, which is
/// behind the images of its matrices.
std::size_t trace_offset(std::span<const Argument> arguments);

std::string encode(const Hello& hello);
std::string encode(const CallRequest& request);
std::string encode(const WorkerReply& reply, const std::string& token, std::uint64_t sequence);

/// These two decode what the examiner, which is trusted, has sent.
/// @throws nlohmann::json::exception if the two programs are of different versions.
Hello decode_hello(std::string_view message);
CallRequest decode_call(std::string_view message);

/// Decodes what came from a worker, which may be anything.
/// @param problem receives the reason if the result is empty
std::optional<WorkerReply> decode_reply(std::string_view message, const std::string& token,
                                        std::uint64_t sequence, std::string& problem);

}  // namespace tilewise::grading
