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
  double time_limit_s = 0;   ///< 0: none; then the whole process group is killed
  bool keeps_errors = true;  ///< standard error is output, too; else it is dropped

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
  bool output_was_cut = false;  ///< there was more

  static constexpr std::size_t kept_output_bytes = 256 * 1024;

  bool succeeded() const { return ending == Ending::exited && status == 0; }
};

/// Thrown where the user pressed Ctrl-C or asked this process to end; see interrupt_on_signals().
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal(signal) {}
  int signal;
};

/// What has come: "SIGTERM".
std::string name_of(const Interrupted& interrupted);

/// From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE end the command that is running, with all its
/// children, and run_command() throws Interrupted.
void interrupt_on_signals();

/// For work that takes long without a command: throws Interrupted if such a signal has come.
void throw_if_interrupted();

/// A command in a process group of its own. Several may run side by side; whatever of them is still
/// running ends with this object.
class RunningCommand {
 public:
  /// Starts it.
  /// @throws std::system_error if the system is out of processes or descriptors.
  explicit RunningCommand(Command command);
  RunningCommand(RunningCommand&&) noexcept;
  RunningCommand& operator=(RunningCommand&&) noexcept;
  ~RunningCommand();

  /// Takes what it writes for a moment. Tells whether it has ended or its time is up, so that
  /// wait() will not wait.
  /// @throws as wait()
  bool is_over();

  /// What it has printed so far, as CommandResult keeps it.
  std::string_view output() const;

  /// Asks it to end, and does not wait for that.
  void ask_to_end();

  /// Asks it to end, so that it can clear up and end what it has started in groups of their own;
  /// kills it, with its group, if it has not done so by `patience_s`.
  void end(double patience_s);

  /// Waits for its end; call once. Until then a command that prints more than a pipe holds stands
  /// still.
  /// @throws Interrupted, and what on_event throws.
  CommandResult wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a command to its end.
/// @throws as RunningCommand
CommandResult run_command(Command command);

/// How an unsuccessful command ended: "was killed by signal 11 (Segmentation fault)".
std::string describe_ending(const CommandResult& result);

}  // namespace tilewise::grading
