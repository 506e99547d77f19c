#include "common/process/command.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/process/process.hpp"

namespace tilewise::grading {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t pending_signal = 0;

// SIGPIPE means that the reader of the report has gone.
constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

extern "C" void remember_signal(int signal) { pending_signal = signal; }

/// Splits the text that comes from a pipe into lines.
class LineReader {
 public:
  explicit LineReader(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}

  void add(std::string_view text) {
    pending_ += text;
    std::size_t begin = 0;
    for (std::size_t end; (end = pending_.find('\n', begin)) != pending_.npos; begin = end + 1) {
      on_line_(std::string_view(pending_).substr(begin, end - begin));
    }
    pending_.erase(0, begin);
  }

 private:
  const std::function<void(std::string_view)>& on_line_;
  std::string pending_;
};

/// The reading ends of the pipes that a child writes to.
class Outlets {
 public:
  Outlets(FileDescriptor output, FileDescriptor events,
          const std::function<void(std::string_view)>& on_line)
      : output_(std::move(output)), events_(std::move(events)), lines_(on_line) {}

  /// Waits until there is something to read, and reads it. Returns whether there was anything.
  bool read(int wait_ms) {
    pollfd ends[] = {{output_.get(), POLLIN, 0}, {events_.get(), POLLIN, 0}};
    if (::poll(ends, std::size(ends), wait_ms) < 0) {
      if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
      return false;
    }
    if (ends[0].revents != 0) {
      const std::string_view text = read_from(output_);
      const std::size_t room = CommandResult::kept_output_bytes - kept_.size();
      kept_ += text.substr(0, room);
      was_cut_ = was_cut_ || text.size() > room;
    }
    if (ends[1].revents != 0) lines_.add(read_from(events_));
    return ends[0].revents != 0 || ends[1].revents != 0;
  }

  bool any_open() const { return output_ || events_; }
  std::string_view output() const { return kept_; }
  std::string take_output() { return std::move(kept_); }
  bool was_cut() const { return was_cut_; }

 private:
  std::string_view read_from(FileDescriptor& end) {
    const ssize_t count = ::read(end.get(), buffer_.data(), buffer_.size());
    if (count == 0 || (count < 0 && errno != EINTR)) end.close();
    return {buffer_.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

  FileDescriptor output_, events_;
  LineReader lines_;
  std::string kept_;
  bool was_cut_ = false;
  std::array<char, 16 * 1024> buffer_;
};

}  // namespace

std::string name_of(const Interrupted& interrupted) {
  switch (interrupted.signal) {
    case SIGINT:
      return "SIGINT (Ctrl-C)";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return fmt::format("signal {}", interrupted.signal);
  }
}

void interrupt_on_signals() {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  for (const int signal : ending_signals) ::sigaction(signal, &action, nullptr);
}

void throw_if_interrupted() {
  if (pending_signal != 0) throw Interrupted(std::exchange(pending_signal, 0));
}

struct RunningCommand::State {
  explicit State(Command given) : command(std::move(given)) { start(); }

  void start();
  bool has_time() const;
  bool supervise(int wait_ms);
  void end(double patience_s);
  CommandResult wait();

  Command command;
  Clock::time_point begin = Clock::now();
  std::optional<Process> process;  ///< empty if it could not be started
  std::optional<Outlets> outlets;
  int start_error = 0;
};

void RunningCommand::State::start() {
  const FileDescriptor null = open_null();
  Pipe output = make_pipe();
  Pipe events;
  if (command.on_event) events = make_pipe();
  std::vector<int> descriptors = {null.get(), output.in.get(),
                                  command.keeps_errors ? output.in.get() : null.get()};
  static_assert(Command::event_descriptor == 3);
  if (command.on_event) descriptors.push_back(events.in.get());
  try {
    process.emplace(command, ProcessOptions{.descriptors = std::move(descriptors)});
  } catch (const NotStarted& error) {
    start_error = error.code().value();
    return;
  }
  outlets.emplace(std::move(output.out), std::move(events.out), command.on_event);
}

bool RunningCommand::State::has_time() const {
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  return command.time_limit_s == 0 || elapsed.count() <= command.time_limit_s;
}

/// Reads what the child writes within `wait_ms`, unless the child has exited or its time is up.
/// Returns whether to go on.
bool RunningCommand::State::supervise(int wait_ms) {
  if (process->has_exited() || !has_time()) return false;
  throw_if_interrupted();
  // The child closes its pipes when it exits, which ends the wait. The wait is short nevertheless,
  // because a signal may arrive and because a child of the child may hold the pipes open. Very
  // little time passes between the closing of the pipes and the exit.
  outlets->read(outlets->any_open() ? wait_ms : 1);
  return true;
}

void RunningCommand::State::end(double patience_s) {
  if (!process) return;
  process->send_signal(SIGTERM);
  const auto asked = Clock::now();
  const auto waited_s = [&] { return std::chrono::duration<double>(Clock::now() - asked).count(); };
  constexpr int a_moment_ms = 5;
  while (!process->has_exited() && waited_s() < patience_s) {
    // Go on reading: a command that waits for room in its pipe would not get to the signal.
    if (!outlets->any_open() || !outlets->read(a_moment_ms)) ::usleep(a_moment_ms * 1000);
  }
  process.reset();
}

CommandResult RunningCommand::State::wait() {
  CommandResult result;
  if (!process) {
    result.status = start_error;
    return result;
  }
  constexpr int until_a_signal_ms = 50;
  while (supervise(until_a_signal_ms)) {
  }
  const bool in_time = process->has_exited();
  // The group is killed even if the command ended by itself: nothing that it started may live on.
  process->kill_group();
  // Read what the command wrote last. Anything beyond what a pipe can hold would come from a
  // surviving process.
  for (int reads = 0; reads < 64 && outlets->any_open() && outlets->read(0); ++reads) {
  }
  const int status = process->end();
  process.reset();  // so that end() finds nothing to end
  result.output_was_cut = outlets->was_cut() || outlets->any_open();
  result.output = outlets->take_output();
  if (!in_time) {
    result.ending = CommandResult::Ending::timed_out;
  } else if (WIFSIGNALED(status)) {
    result.ending = CommandResult::Ending::signalled;
    result.status = WTERMSIG(status);
  } else {
    result.ending = CommandResult::Ending::exited;
    result.status = WEXITSTATUS(status);
  }
  return result;
}

RunningCommand::RunningCommand(Command command)
    : state_(std::make_unique<State>(std::move(command))) {}
RunningCommand::RunningCommand(RunningCommand&&) noexcept = default;
RunningCommand& RunningCommand::operator=(RunningCommand&&) noexcept = default;
RunningCommand::~RunningCommand() = default;

bool RunningCommand::is_over() {
  constexpr int a_moment_ms = 5;
  return !state_->process || !state_->supervise(a_moment_ms);
}

std::string_view RunningCommand::output() const {
  return state_->outlets ? state_->outlets->output() : std::string_view();
}

void RunningCommand::ask_to_end() {
  if (state_->process) state_->process->send_signal(SIGTERM);
}

void RunningCommand::end(double patience_s) { state_->end(patience_s); }

CommandResult RunningCommand::wait() { return state_->wait(); }

CommandResult run_command(Command command) { return RunningCommand(std::move(command)).wait(); }

std::string describe_ending(const CommandResult& result) {
  switch (result.ending) {
    case CommandResult::Ending::not_started:
      return tr("could not be started: {}", std::strerror(result.status));
    case CommandResult::Ending::timed_out:
      return tr("took longer than its time limit");
    case CommandResult::Ending::signalled:
      return tr("was killed by signal {} ({})", result.status, strsignal(result.status));
    case CommandResult::Ending::exited:
      break;
  }
  return tr("ended with status {}", result.status);
}

}  // namespace tilewise::grading
