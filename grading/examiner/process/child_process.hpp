#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grading/examiner/process/child_limits.hpp"

namespace tilewise::grading {

/// How to start a process. It leads a session of its own, without a terminal, and inherits nothing
/// but `descriptors` and the few variables that a worker needs.
struct ChildOptions {
  std::filesystem::path executable;
  std::vector<std::string> arguments = {};  ///< without the executable's name
  std::vector<int> descriptors;             ///< become 0, 1, 2, ... in the child
  ChildLimits limits = {};
  /// How many processes the executable is above the one meant: a sandbox starts a process that
  /// starts the program.
  int wrappers = 0;
};

/// A process and whatever it starts in its group; both end with this object.
class ChildProcess {
 public:
  /// @throws std::system_error where the process cannot be started
  explicit ChildProcess(const ChildOptions& options);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { kill_group(); }

  /// The wait status (see WIFEXITED) once the process has ended; nothing while it runs.
  std::optional<int> ended();

  /// Sends a signal to the process meant, not to its group. Does nothing once it has ended.
  void send_signal(int signal);

  /// Of the process meant, and of the one that it has for host code.
  std::size_t threads() const;

  /// waited_for_processor() of the process meant.
  std::chrono::nanoseconds waited_for_processor() const;
  /// ran_on_all_processors() of it.
  std::chrono::nanoseconds ran_on_all_processors() const;

  /// Waits for the process.
  /// @return its wait status
  int wait();

  /// Ends the whole group at once and waits for the process.
  /// @return its wait status
  int kill_group();

 private:
  std::optional<pid_t> process_meant() const;

  pid_t pid_ = -1;
  int wrappers_;
  std::optional<int> status_;  ///< once it has been waited for
};

}  // namespace tilewise::grading
