#include "grading/examiner/process/child_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "grading/examiner/process/child_limits.hpp"
#include "grading/examiner/process/pipe.hpp"
#include "grading/examiner/process/processor_wait.hpp"

namespace tilewise::grading {
namespace {

/// What a worker and the CUDA driver in it need. The rest may hold secrets, such as the seed or
/// credentials of the machine that grades.
std::vector<std::string> reduced_environment() {
  std::vector<std::string> environment;
  for (const char* name :
       {"PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
        "CUDA_CACHE_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) {
      environment.push_back(std::string(name) + "=" + value);
    }
  }
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// All that the child needs between fork and exec, where nothing may allocate or lock, because
/// the parent may have other threads.
struct Execution {
  const char* executable;
  char* const* arguments;
  char* const* environment;
  std::vector<int> descriptors;  ///< the last one reports a failed exec
  ChildLimits limits;
};

/// A program that starts another tells of a signal as shells do, by the exit status 128 + signal.
int seen_through_a_shell(int status) {
  constexpr int signals_begin = 128, last_signal = 64;
  const int signal = WIFEXITED(status) ? WEXITSTATUS(status) - signals_begin : 0;
  return signal > 0 && signal <= last_signal ? signal : status;
}

/// The first process that `parent` has started and that still runs.
std::optional<pid_t> first_child(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  pid_t child = 0;
  if (children >> child) return child;
  return std::nullopt;
}

[[noreturn]] void execute(Execution& execution) {
  setsid();  // a group of its own, and no terminal: it could write there, or type
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int count = static_cast<int>(execution.descriptors.size());
  // In two steps, so that none is overwritten before it has been moved.
  for (int& fd : execution.descriptors) fd = fcntl(fd, F_DUPFD, count);
  for (int i = 0; i < count; ++i) dup2(execution.descriptors[static_cast<std::size_t>(i)], i);
  const int error_fd = count - 1;
  fcntl(error_fd, F_SETFD, FD_CLOEXEC);
  close_descriptors_from(count);
  apply_child_limits(execution.limits);
  execve(execution.executable, execution.arguments, execution.environment);
  const int error = errno;
  static_cast<void>(!write(error_fd, &error, sizeof error));
  _exit(EXIT_FAILURE);
}

}  // namespace

ChildProcess::ChildProcess(const ChildOptions& options) : wrappers_(options.wrappers) {
  std::vector<std::string> arguments = options.arguments;
  arguments.insert(arguments.begin(), options.executable.string());
  std::vector<std::string> environment = reduced_environment();
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);

  auto [error_out, error_in] = make_pipe();
  Execution execution = {options.executable.c_str(), argument_pointers.data(),
                         environment_pointers.data(), options.descriptors, options.limits};
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
    kill_group();
    throw std::system_error(error, std::generic_category(),
                            "cannot execute " + options.executable.string());
  }
}

std::optional<int> ChildProcess::ended() {
  if (status_) return status_;
  siginfo_t info = {};
  // Looks without waiting for it: until then no other process can take the group's number.
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid_) {
    return std::nullopt;
  }
  return kill_group();
}

std::optional<pid_t> ChildProcess::process_meant() const {
  if (status_) return std::nullopt;
  std::optional<pid_t> meant = pid_;
  for (int i = 0; i < wrappers_ && meant; ++i) meant = first_child(*meant);
  return meant;
}

void ChildProcess::send_signal(int signal) {
  if (const auto process = process_meant()) kill(*process, signal);
}

std::chrono::nanoseconds ChildProcess::waited_for_processor() const {
  const auto process = process_meant();
  if (!process) return std::chrono::nanoseconds(0);
  // A worker and the process that it has for host code work in turns.
  const auto host = first_child(*process);
  return grading::waited_for_processor(*process) +
         (host ? grading::waited_for_processor(*host) : std::chrono::nanoseconds(0));
}

std::size_t ChildProcess::threads() const {
  const auto process = process_meant();
  const auto host = process ? first_child(*process) : std::nullopt;
  return (process ? threads_of(*process) : 0) + (host ? threads_of(*host) : 0);
}

std::chrono::nanoseconds ChildProcess::ran_on_all_processors() const {
  const auto process = process_meant();
  if (!process) return std::chrono::nanoseconds(0);
  const auto host = first_child(*process);
  return grading::ran_on_all_processors(*process) +
         (host ? grading::ran_on_all_processors(*host) : std::chrono::nanoseconds(0));
}

int ChildProcess::wait() {
  siginfo_t info = {};
  while (!status_ && waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  return kill_group();
}

int ChildProcess::kill_group() {
  if (status_) return *status_;
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = wrappers_ > 0 ? seen_through_a_shell(status) : status;
  return *status_;
}

}  // namespace tilewise::grading
