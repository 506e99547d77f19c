#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/process/process.hpp"

namespace tilewise::grading {

/// A program to run to its end. Its standard input is empty.
struct Command : Program {
  double time_limit_s = 0;   ///< 0: none. At the limit the whole process group is killed
  bool keeps_errors = true;  ///< whether standard error counts as output; else it is dropped

  static constexpr int event_descriptor = 3;

  /// Receives each line the program writes to `event_descriptor`, without its line feed, as it
  /// comes. If empty, the program gets no such descriptor.
  std::function<void(std::string_view line)> on_event;
};

struct CommandResult {
  enum class Ending { exited, signalled, timed_out, not_started };
  Ending ending = Ending::not_started;
  int status = 0;      ///< exit status, signal number or errno, depending on `ending`
  std::string output;  ///< the beginning of standard output and error, at most `kept_output_bytes`
  bool output_was_cut = false;  ///< whether there was more output than was kept

  static constexpr std::size_t kept_output_bytes = 256 * 1024;

  bool succeeded() const { return ending == Ending::exited && status == 0; }
};

/// Thrown when the user has pressed Ctrl-C or asked this process to end; see
/// interrupt_on_signals().
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal(signal) {}
  int signal;
};

/// The name of the signal that has arrived, as in "SIGTERM".
std::string name_of(const Interrupted& interrupted);

/// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE end the command that is running, with all its
/// children, and run_command() throws Interrupted.
void interrupt_on_signals();

/// Throws Interrupted if one of these signals has arrived. Meant for long work that runs no
/// command.
void throw_if_interrupted();

/// A command in a process group of its own. Several commands may run side by side. One that still
/// runs when its object is destroyed is ended.
class RunningCommand {
 public:
  /// Starts the command.
  /// @throws std::system_error if the system is out of processes or descriptors.
  explicit RunningCommand(Command command);
  RunningCommand(RunningCommand&&) noexcept;
  RunningCommand& operator=(RunningCommand&&) noexcept;
  ~RunningCommand();

  /// Reads the command's output for a moment. Returns whether the command has ended or its time is
  /// up, so that wait() would not have to wait.
  /// @throws as wait()
  bool is_over();

  /// What the command has printed so far, cut off as in CommandResult.
  std::string_view output() const;

  /// Asks the command to end, without waiting for that.
  void ask_to_end();

  /// Asks the command to end, so that it can clean up and end the process groups that it has
  /// started itself. Kills it with its group if it still runs after `patience_s`.
  void end(double patience_s);

  /// Waits for the end of the command; call it once. Until it is called, a command that prints more
  /// than a pipe holds is blocked.
  /// @throws Interrupted, and what on_event throws.
  CommandResult wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a command to its end.
/// @throws as RunningCommand
CommandResult run_command(Command command);

/// Describes how an unsuccessful command ended: "was killed by signal 11 (Segmentation fault)".
std::string describe_ending(const CommandResult& result);

}  // namespace tilewise::grading
