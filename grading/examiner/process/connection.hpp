#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "common/process/process.hpp"
#include "grading/worker/call.hpp"
#include "grading/worker/protocol.hpp"

namespace tilewise::grading {

/// Memory shared with a process that inherits its descriptor. Its size is fixed: on Linux nobody
/// can shrink it, which would make the other side's accesses fault.
class SharedMemory {
 public:
  /// @param bytes at least this much is mapped, filled with zeros
  /// @throws std::system_error
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  int fd() const { return fd_.get(); }
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  FileDescriptor fd_;
  std::span<std::byte> bytes_;
};

/// Returns how long a process has been ready to run while others had the processors. This is the
/// time of the thread that has waited longest since it started. Zero where the system does not
/// report it.
std::chrono::nanoseconds waited_for_processor(pid_t process);

/// Returns the number of threads of a process; 0 where the system does not report it.
std::size_t threads_of(pid_t process);

/// Returns how long a process would have run so far if it had had all the processors that it may
/// use, and had kept them busy. This is the processor time of all its threads, divided by the
/// number of those processors. Time that its own surplus threads wait for a processor is not time
/// that it waited for others.
std::chrono::nanoseconds ran_on_all_processors(pid_t process);

/// What a worker does, as seen from outside.
enum class Event {
  message,  ///< it has sent a message
  ended,    ///< its process has ended
  closed,   ///< it has closed its channel, yet runs on
  garbled,  ///< what it sends is no message
  flooded,  ///< it prints more than it may
  crowded,  ///< it has more threads than it may
  late,     ///< none of these happened by the deadline
};

struct ConnectionOptions {
  Program program;
  int memory_fd = -1;
  std::size_t output_bytes = 0;
  std::size_t threads = 0;  ///< 0: no limit
};

/// A running worker process, with the channel, the output and the fault pipe that lead to it. This
/// class knows nothing of what the messages mean. Nothing that the process does can block it or
/// make it fail.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the process.
  /// @throws std::system_error
  explicit Connection(const ConnectionOptions& options);
  ~Connection();

  /// @return whether the message went out.
  bool send(const std::string& message);

  /// Waits for the next event.
  /// @param deadline  for a process that need not wait for processors that others have; time spent
  ///                  waiting for them does not count
  /// @param message receives the text of Event::message
  Event wait(Clock::time_point deadline, std::string& message);

  /// Returns how long the waits have taken so far, without the time that does not count.
  Clock::duration counted() const { return counted_; }

  /// Asks the process by SIGXCPU where it is, gives it a moment to answer with a fault record, and
  /// ends it.
  void interrupt();

  /// Closes the channel, upon which an idle worker ends by itself, and waits up to `patience` for
  /// that.
  void close(Clock::duration patience);

  /// Ends the process and all it has started.
  /// @return its wait status
  int end() { return process_->end(); }

  /// Returns the last fault record that the process has sent, if there is one.
  std::optional<Fault> fault() const;

  /// Standard output and standard error, as far as they have arrived.
  const std::string& output() const { return output_; }

 private:
  Clock::duration time_for_others(Clock::time_point begin, Clock::duration waited_before,
                                  Clock::duration ran_before) const;
  void read_all();
  bool is_closed() const { return closed_since_.has_value(); }
  void poll_until(Clock::time_point deadline) const;

  std::size_t output_bytes_;
  std::size_t threads_;
  FileDescriptor channel_;
  FileDescriptor output_pipe_;
  FileDescriptor fault_pipe_;
  std::optional<Process> process_;
  FrameReader frames_;
  std::string output_;
  std::string fault_bytes_;
  std::optional<Clock::time_point> closed_since_;
  Clock::duration counted_{};
};

}  // namespace tilewise::grading
