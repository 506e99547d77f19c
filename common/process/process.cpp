#include "common/process/process.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace tilewise::grading {
namespace {

Pipe own(const int (&ends)[2]) {
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace

Pipe make_pipe() {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "cannot pipe");
  return own(ends);
}

Pipe make_socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a socket pair");
  }
#ifdef SO_NOSIGPIPE  // macOS has this instead of Linux's MSG_NOSIGNAL
  const int on = 1;
  for (const int end : ends) setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return own(ends);
}

FileDescriptor open_null() {
  FileDescriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) throw std::system_error(errno, std::generic_category(), "cannot open /dev/null");
  return null;
}

void make_non_blocking(const FileDescriptor& fd) {
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace tilewise::grading

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace tilewise::grading {
namespace {

using Place = ProcessOptions::Place;

constexpr int exec_failed = 127;  // the exit status that shells use

/// All variables that the program gets, each as "NAME=value".
std::vector<std::string> environment_of(const Program& program) {
  std::vector<std::string> variables;
  const auto is_set_anew = [&](std::string_view variable) {
    for (const auto& [name, value] : program.environment) {
      if (variable.substr(0, variable.find('=')) == name) return true;
    }
    return false;
  };
  if (program.inherits) {
    for (const std::string& name : *program.inherits) {
      const char* const value = std::getenv(name.c_str());
      if (value != nullptr && !is_set_anew(name)) variables.push_back(name + "=" + value);
    }
  } else {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (!is_set_anew(*variable)) variables.emplace_back(*variable);
    }
  }
  for (const auto& [name, value] : program.environment) variables.push_back(name + "=" + value);
  return variables;
}

/// The files that a program's name may stand for, in the order of the search.
std::vector<std::string> candidates(const std::string& name, std::string_view path) {
  if (name.find('/') != name.npos) return {name};
  std::vector<std::string> files;
  for (std::size_t begin = 0, end; begin <= path.size(); begin = end + 1) {
    end = std::min(path.find(':', begin), path.size());
    const std::string_view folder = path.substr(begin, end - begin);
    files.push_back(folder.empty() ? "./" + name : std::string(folder) + "/" + name);
  }
  return files;
}

std::string_view path_in(const std::vector<std::string>& variables) {
  constexpr std::string_view name = "PATH=";
  for (const std::string& variable : variables) {
    if (variable.starts_with(name)) return std::string_view(variable).substr(name.size());
  }
  return "/bin:/usr/bin";  // what execvp() uses without a PATH
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Everything that the child needs between fork and exec. Nothing may allocate or lock there,
/// because the parent may have other threads.
struct Execution {
  std::vector<char*> files;  ///< tried one after the other
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* folder;
  std::vector<int> descriptors;  ///< the last one reports a failure
  ProcessLimits limits;
  Place place;
  int when_parent_ends;
  pid_t parent;
};

/// @param last_words how far the hard limit lies above `value`, for a handler of the signal that
/// reports reaching the limit
template <class Resource>
void limit(Resource resource, rlim_t value, rlim_t last_words = 0) {
  rlimit current;
  if (getrlimit(resource, &current) != 0) return;
  if (current.rlim_max != RLIM_INFINITY && current.rlim_max < value) return;  // stricter already
  const rlimit wanted = {value, value + last_words};
  setrlimit(resource, &wanted);
}

void apply(const ProcessLimits& limits) {
  if (limits.address_space_bytes > 0) limit(RLIMIT_AS, limits.address_space_bytes);
  if (limits.data_bytes > 0) limit(RLIMIT_DATA, limits.data_bytes);
  if (limits.file_bytes > 0) limit(RLIMIT_FSIZE, limits.file_bytes);
  if (limits.open_files > 0) limit(RLIMIT_NOFILE, limits.open_files);
  if (limits.cpu_s > 0) limit(RLIMIT_CPU, limits.cpu_s, 1);
  limit(RLIMIT_CORE, 0);
}

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void close_descriptors_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
  const long highest = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < highest; ++fd) close(fd);
}

/// @return whether all are in place
bool place_descriptors(std::vector<int>& descriptors) {
  const int count = static_cast<int>(descriptors.size());
  // Two steps, so that no descriptor is overwritten before it has been moved.
  for (int& fd : descriptors) {
    if ((fd = fcntl(fd, F_DUPFD, count)) < 0) return false;
  }
  for (int i = 0; i < count; ++i) {
    if (dup2(descriptors[static_cast<std::size_t>(i)], i) < 0) return false;
  }
  descriptors.back() = count - 1;
  fcntl(descriptors.back(), F_SETFD, FD_CLOEXEC);
  close_descriptors_from(count);
  return true;
}

/// Makes the kernel signal this process when its parent ends for any reason.
void end_with_parent([[maybe_unused]] const Execution& execution) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, execution.when_parent_ends);
  if (getppid() != execution.parent) _exit(exec_failed);  // the parent has ended already
#endif
}

/// Turns this process into the program. Returns only on failure, with the reason in errno.
void become(Execution& execution) {
  reset_signals();
  if (execution.place != Place::foreground) setsid();
  if (!place_descriptors(execution.descriptors)) return;
  if (execution.place == Place::terminal && ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0) return;
  if (*execution.folder != '\0' && chdir(execution.folder) != 0) return;
  apply(execution.limits);
  end_with_parent(execution);
  int reason = ENOENT;
  for (char* file : execution.files) {
    if (file == nullptr) break;
    execve(file, execution.arguments.data(), execution.environment.data());
    if (errno == ENOENT || errno == ENOTDIR) continue;
    reason = errno;
    if (errno != EACCES) break;
  }
  errno = reason;
}

[[noreturn]] void execute(Execution& execution) {
  become(execution);
  const int error = errno;
  static_cast<void>(!write(execution.descriptors.back(), &error, sizeof error));
  _exit(exec_failed);
}

/// Returns the program's wait status from that of its sandbox, which reports a signal as shells do,
/// by the exit status 128 + signal.
int seen_through_a_shell(int status) {
  constexpr int signals_begin = 128, last_signal = 64;
  const int signal = WIFEXITED(status) ? WEXITSTATUS(status) - signals_begin : 0;
  return signal > 0 && signal <= last_signal ? signal : status;
}

/// Makes this process ignore the signals that the terminal sends, which are meant for another
/// program, as long as the object lives.
class SignalsIgnored {
 public:
  SignalsIgnored()
      : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  ~SignalsIgnored() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }
  SignalsIgnored(const SignalsIgnored&) = delete;
  SignalsIgnored& operator=(const SignalsIgnored&) = delete;

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

}  // namespace

Process::Process(const Program& program, const ProcessOptions& options)
    : leads_group_(options.place != Place::foreground),
      wrappers_(program.sandbox ? Sandbox::processes : 0) {
  std::vector<std::string> arguments;
  if (program.sandbox) arguments = program.sandbox.command(program.view);
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> environment = environment_of(program);
  std::vector<std::string> files = candidates(arguments.front(), path_in(environment));
  auto [error_out, error_in] = make_pipe();
  Execution execution = {.files = pointers(files),
                         .arguments = pointers(arguments),
                         .environment = pointers(environment),
                         .folder = program.working_directory.c_str(),
                         .descriptors = options.descriptors,
                         .limits = program.limits,
                         .place = options.place,
                         .when_parent_ends = options.when_parent_ends,
                         .parent = getpid()};
  execution.descriptors.push_back(error_in.get());
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (pid_ == 0) execute(execution);
  error_in.close();

  int error = 0;
  ssize_t received;
  do {
    received = read(error_out.get(), &error, sizeof error);
  } while (received < 0 && errno == EINTR);
  if (received == static_cast<ssize_t>(sizeof error)) {
    end();
    throw NotStarted(error, std::generic_category(), "cannot execute " + arguments.front());
  }
}

bool Process::has_exited() const {
  siginfo_t info = {};
  // WNOWAIT leaves the process to be waited for: until then no other process can take the group's
  // number.
  return status_ ||
         (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == pid_);
}

std::optional<int> Process::ended() {
  if (!has_exited()) return std::nullopt;
  return end();
}

std::optional<pid_t> Process::process_meant() const {
  if (status_) return std::nullopt;
  std::optional<pid_t> meant = pid_;
  for (int i = 0; i < wrappers_ && meant; ++i) meant = first_child(*meant);
  return meant;
}

void Process::send_signal(int signal) const {
  if (const auto process = process_meant()) kill(*process, signal);
}

void Process::kill_group() const {
  // Once the process has been waited for, its number may belong to another one.
  if (!status_) kill(leads_group_ ? -pid_ : pid_, SIGKILL);
}

int Process::wait() {
  siginfo_t info = {};
  while (!status_ && waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  return end();
}

int Process::end() {
  if (status_) return *status_;
  kill_group();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = wrappers_ > 0 ? seen_through_a_shell(status) : status;
  return *status_;
}

std::optional<pid_t> first_child(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  pid_t child = 0;
  if (children >> child) return child;
  return std::nullopt;
}

int run_in_foreground(const Program& program) { return run_in_foreground(program, 0).status; }

ForegroundEnding run_in_foreground(const Program& program, double time_limit_s) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double> last_words(1);
  const SignalsIgnored ignored;
  Process process(program, {.descriptors = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO},
                            .place = Place::foreground});
  const auto ends_by = [&](std::chrono::duration<double> time) {
    const auto end = Clock::now() + time;
    while (!process.has_exited() && Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return process.has_exited();
  };
  const bool timed_out = time_limit_s > 0 && !ends_by(std::chrono::duration<double>(time_limit_s));
  if (timed_out) {
    process.send_signal(SIGXCPU);
    if (!ends_by(last_words)) process.kill_group();
  }
  const int status = process.wait();
  constexpr int signals_begin = 128;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : signals_begin + WTERMSIG(status), timed_out};
}

void keep_secrets() {
#ifdef __linux__
  // A sanitizer looks for leaks by attaching to its own process, which this would forbid.
  const bool has_sanitizer = !can_limit_address_space;
  if (!has_sanitizer) prctl(PR_SET_DUMPABLE, 0);
#endif
}

std::optional<std::filesystem::path> find_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  for (const std::string& file : candidates(program, path == nullptr ? "" : path)) {
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
