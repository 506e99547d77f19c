#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewise::grading {

/// A program to run to its end, without a shell. Its standard input is empty.
struct Command {
  std::vector<std::string> arguments;       ///< the program, looked up in PATH, and its arguments
  std::filesystem::path working_directory;  ///< empty: this process's
  /// Variables set beside those of this process.
  std::vector<std::pair<std::string, std::string>> environment;
  double time_limit_s = 0;     ///< 0: none; then the whole process group is killed
  std::size_t data_bytes = 0;  ///< private writable memory, 0: no limit
  std::size_t file_bytes = 0;  ///< largest file it may write, 0: no limit

  static constexpr int event_descriptor = 3;

  /// Receives each line the program writes to `event_descriptor`, without its line feed, as it
  /// comes. If empty, the program gets no such descriptor.
  std::function<void(std::string_view line)> on_event;
};

struct CommandResult {
  enum class Ending { exited, signalled, timed_out, not_started };
  Ending ending = Ending::not_started;
  int status = 0;      ///< exit status, signal number or errno, as `ending` says
  std::string output;  ///< the beginning of standard output and error, at most `kept_output_bytes`

  static constexpr std::size_t kept_output_bytes = 256 * 1024;

  bool succeeded() const { return ending == Ending::exited && status == 0; }
};

/// Thrown where the user pressed Ctrl-C or asked this process to end; see interrupt_on_signals().
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal(signal) {}
  int signal;
};

/// From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE end the command that is running, with all its
/// children, and run_command() throws Interrupted.
void interrupt_on_signals();

/// Runs a command in a process group of its own and waits for it.
/// @throws Interrupted, and std::system_error if the system is out of processes or descriptors.
CommandResult run_command(const Command& command);

/// How an unsuccessful command ended: "was killed by signal 11 (Segmentation fault)".
std::string describe_ending(const CommandResult& result);

}  // namespace tilewise::grading
