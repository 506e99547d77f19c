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

/// Descriptors a worker inherits.
inline constexpr int channel_fd = 3;  ///< stream socket to the examiner
inline constexpr int memory_fd = 4;   ///< shared memory that holds the matrices
inline constexpr int fault_fd = 5;    ///< pipe for one Fault

/// Exit statuses of a worker's own.
inline constexpr int exit_not_started_by_examiner = 2;
inline constexpr int exit_no_device = 3;

/// A reply lists at most this many launches, and as many findings and profiles. A launch in a
/// loop would otherwise make any message too long.
inline constexpr std::size_t max_listed = 64;

/// Lines of source that a reply's profiles list together.
inline constexpr std::size_t max_listed_lines = 256;

/// DRAM partitions that a profile lists; GT200 has 8.
inline constexpr std::size_t max_partitions = 64;

/// Runs of blocks that a reply's profiles list together: those of one launch at least. A profile
/// whose runs are too many for what is left lists none.
inline constexpr std::size_t max_listed_runs = simt::most_block_runs;

/// First message to a worker, before any code of the student's has run in it.
struct Hello {
  std::string token;   ///< secret; every reply repeats it, so that a forged one is recognised
  std::string module;  ///< path of the shared object to load
  core::GpuProfile profile;
  /// Whether the module counts its lines: the counts are written to files after every call, for
  /// which the worker must be free to write.
  bool writes_coverage = false;
};

/// What the examiner sends once the matrices of a timed call's timed runs are in shared memory.
inline constexpr std::string_view inputs_are_there = "{}";

/// A worker's answer. One `started` and one `loaded` follow the hello, then one answer a call; of a
/// timed one, before it, `warmed_up`, after which the worker waits for `inputs_are_there`.
struct WorkerReply {
  enum class Kind {
    started,        ///< the device is ready; the module is loaded next
    loaded,         ///< the module is loaded; calls are welcome
    warmed_up,      ///< the function has run with what was in shared memory, untimed
    returned,       ///< the function returned, and its outputs are in shared memory
    failed,         ///< the student's code failed in a way the worker survived to report
    kernel_failed,  ///< so did a kernel, and a device that is reset takes further calls
    refused,        ///< what was asked is impossible; no code of the student's is to blame
    tampered,       ///< the student's code forged what its own process is to say
  };
  Kind kind = Kind::refused;
  int status = 0;           ///< cudaError_t
  std::string status_name;  ///< e.g. "cudaErrorInvalidValue"
  int launches = 0;
  std::size_t bytes_for_the_host = 0;  ///< of the device's, that the function let it read
  /// Names of libraries that the module has loaded by now, without folders; of one that it has
  /// unloaded again "a library".
  std::vector<std::string> loaded_libraries;
  std::vector<LaunchInfo> launch_list;
  std::vector<Finding> findings;
  std::vector<KernelProfile> profiles;  ///< where counters were asked for
  std::vector<double> times_ms;
  double copies_ms = 0;         ///< where timed: what matrices took to the device, and results back
  std::size_t trace_bytes = 0;  ///< where a trace was asked for: its text, at trace_offset()
  std::string message;          ///< for those that failed, refused and tampered
  DeviceInfo device;            ///< for started
};

/// Where in shared memory a worker writes the trace of a call: behind the images of its matrices.
std::size_t trace_offset(std::span<const Argument> arguments);

std::string encode(const Hello& hello);
std::string encode(const CallRequest& request);
std::string encode(const WorkerReply& reply, const std::string& token, std::uint64_t sequence);

/// Decode what the examiner, which is trusted, has sent.
/// @throws nlohmann::json::exception where the two programs are of different versions.
Hello decode_hello(std::string_view message);
CallRequest decode_call(std::string_view message);

/// Decodes what came from a worker, which may be anything.
/// @param problem receives why where the result is empty
std::optional<WorkerReply> decode_reply(std::string_view message, const std::string& token,
                                        std::uint64_t sequence, std::string& problem);

}  // namespace tilewise::grading
