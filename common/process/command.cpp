#include "common/process/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

namespace tilewise::grading {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t pending_signal = 0;

// SIGPIPE: whoever read the report has gone.
constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

extern "C" void remember_signal(int signal) { pending_signal = signal; }

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read, write;
};

/// Both ends close on exec, and lie above the numbers that the child puts in place for itself.
Pipe make_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) throw_errno("pipe");
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  for (Descriptor* end : {&pipe.read, &pipe.write}) {
    const int above = ::fcntl(end->number(), F_DUPFD_CLOEXEC, Command::event_descriptor + 1);
    if (above < 0) throw_errno("fcntl");
    *end = Descriptor(above);
  }
  return pipe;
}

void limit(int resource, std::size_t bytes) {
  if (bytes == 0) return;
  const rlimit value{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  ::setrlimit(resource, &value);
}

/// Drops all other variables of this process.
void keep_variables(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> kept;
  for (const std::string& name : names) {
    if (const char* value = std::getenv(name.c_str())) kept.emplace_back(name, value);
  }
  static char* none[] = {nullptr};
  environ = none;
  for (const auto& [name, value] : kept) ::setenv(name.c_str(), value.c_str(), 1);
}

/// Has this process asked to end when the one that started it is no more, however that went.
void end_with_parent([[maybe_unused]] pid_t parent) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);  // it was killed meanwhile
#endif
}

/// What the child does between fork and exec; returns on failure. The process that forks has one
/// thread, so that setenv(), which may allocate, is safe here.
void become(const Command& command, char* const* arguments, const Pipe& output, const Pipe& events,
            pid_t parent) {
  ::setpgid(0, 0);
  end_with_parent(parent);
  for (const int signal : ending_signals) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) return;
  if (nothing > STDERR_FILENO) ::close(nothing);
  if (::dup2(output.write.number(), STDOUT_FILENO) < 0) return;
  if (::dup2(output.write.number(), STDERR_FILENO) < 0) return;
  if (command.on_event && ::dup2(events.write.number(), Command::event_descriptor) < 0) return;
  const char* folder = command.working_directory.c_str();
  if (*folder != '\0' && ::chdir(folder) != 0) return;
  if (command.inherits) keep_variables(*command.inherits);
  for (const auto& [name, value] : command.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  limit(RLIMIT_DATA, command.data_bytes);
  limit(RLIMIT_FSIZE, command.file_bytes);
  ::execvp(arguments[0], arguments);
}

/// Cuts what comes from a pipe into lines.
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

/// The running process group; killed if it is left before it was reaped.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    kill();
    reap();
  }

  bool has_exited() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           info.si_pid == pid_;
  }

  /// Once reaped, there is nobody to send a signal to: the number may be another's by then, and -1
  /// would be everybody.
  void kill() const {
    if (pid_ > 0) ::kill(-pid_, SIGKILL);
  }
  void ask_to_end() const {
    if (pid_ > 0) ::kill(pid_, SIGTERM);
  }

  int reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
};

/// The reading ends of what a child writes.
class Outlets {
 public:
  Outlets(Descriptor output, Descriptor events,
          const std::function<void(std::string_view)>& on_line)
      : output_(std::move(output)), events_(std::move(events)), lines_(on_line) {}

  /// Waits for something to read and takes it. Returns whether there was anything.
  bool read(int wait_ms) {
    pollfd ends[] = {{output_.number(), POLLIN, 0}, {events_.number(), POLLIN, 0}};
    if (::poll(ends, std::size(ends), wait_ms) < 0) {
      if (errno != EINTR) throw_errno("poll");
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

  bool any_open() const { return output_.is_open() || events_.is_open(); }
  std::string_view output() const { return kept_; }
  std::string take_output() { return std::move(kept_); }
  bool was_cut() const { return was_cut_; }

 private:
  std::string_view read_from(Descriptor& end) {
    const ssize_t count = ::read(end.number(), buffer_.data(), buffer_.size());
    if (count == 0 || (count < 0 && errno != EINTR)) end.close();
    return {buffer_.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

  Descriptor output_, events_;
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
  std::optional<Child> child;  ///< empty where it could not be started
  std::optional<Outlets> outlets;
  int start_error = 0;
};

void RunningCommand::State::start() {
  std::vector<char*> arguments;
  for (std::string& argument : command.arguments) arguments.push_back(argument.data());
  arguments.push_back(nullptr);

  Pipe output = make_pipe(), failure = make_pipe();
  Pipe events;
  if (command.on_event) events = make_pipe();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw_errno("fork");
  if (pid == 0) {
    become(command, arguments.data(), output, events, parent);
    const int reason = errno;
    // Unread if this fails, too; the parent then sees exit status 127.
    [[maybe_unused]] const ssize_t written =
        ::write(failure.write.number(), &reason, sizeof reason);
    ::_exit(127);
  }
  child.emplace(pid);
  ::setpgid(pid, pid);  // in the parent, too, so that kill() cannot come before the child's own
  output.write.close();
  events.write.close();
  failure.write.close();

  int reason = 0;
  ssize_t count;
  while ((count = ::read(failure.read.number(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (count == sizeof reason) {
    child.reset();
    start_error = reason;
    return;
  }
  outlets.emplace(std::move(output.read), std::move(events.read), command.on_event);
}

bool RunningCommand::State::has_time() const {
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  return command.time_limit_s == 0 || elapsed.count() <= command.time_limit_s;
}

/// Takes what the child writes for `wait_ms`, unless it has exited or its time is up. Returns
/// whether to go on.
bool RunningCommand::State::supervise(int wait_ms) {
  if (child->has_exited() || !has_time()) return false;
  throw_if_interrupted();
  // Exiting closes the pipes, which ends the wait; it is cut short for a signal or a child's
  // child that holds them open. Between closing and having exited lies next to nothing.
  outlets->read(outlets->any_open() ? wait_ms : 1);
  return true;
}

void RunningCommand::State::end(double patience_s) {
  if (!child || !outlets) return;
  child->ask_to_end();
  const auto asked = Clock::now();
  const auto waited_s = [&] { return std::chrono::duration<double>(Clock::now() - asked).count(); };
  constexpr int a_moment_ms = 5;
  while (!child->has_exited() && waited_s() < patience_s) {
    // Read on, lest it stands still before it gets to the signal.
    if (!outlets->any_open() || !outlets->read(a_moment_ms)) ::usleep(a_moment_ms * 1000);
  }
  child.reset();
}

CommandResult RunningCommand::State::wait() {
  CommandResult result;
  if (!child) {
    result.status = start_error;
    return result;
  }
  constexpr int until_a_signal_ms = 50;
  while (supervise(until_a_signal_ms)) {
  }
  const bool in_time = child->has_exited();
  // Also when it ended by itself: nothing it started may live on.
  child->kill();
  // What it wrote last; more than a pipe can hold would come from a survivor.
  for (int reads = 0; reads < 64 && outlets->any_open() && outlets->read(0); ++reads) {
  }
  const int status = child->reap();
  child.reset();  // there is nothing left that end() could end
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
  return !state_->child || !state_->supervise(a_moment_ms);
}

std::string_view RunningCommand::output() const {
  return state_->outlets ? state_->outlets->output() : std::string_view();
}

void RunningCommand::ask_to_end() {
  if (state_->child) state_->child->ask_to_end();
}

void RunningCommand::end(double patience_s) { state_->end(patience_s); }

CommandResult RunningCommand::wait() { return state_->wait(); }

CommandResult run_command(Command command) { return RunningCommand(std::move(command)).wait(); }

std::string describe_ending(const CommandResult& result) {
  switch (result.ending) {
    case CommandResult::Ending::not_started:
      return fmt::format("could not be started: {}", std::strerror(result.status));
    case CommandResult::Ending::timed_out:
      return "took longer than its time limit";
    case CommandResult::Ending::signalled:
      return fmt::format("was killed by signal {} ({})", result.status, strsignal(result.status));
    case CommandResult::Ending::exited:
      break;
  }
  return fmt::format("ended with status {}", result.status);
}

}  // namespace tilewise::grading
