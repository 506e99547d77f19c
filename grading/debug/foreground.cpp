#include "grading/debug/foreground.hpp"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace tilewise::grading {
namespace {

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t fork_or_throw() {
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  return child;
}

/// As long as it lives, signals that the terminal sends are the other program's business.
class SignalsIgnored {
 public:
  SignalsIgnored() {
    for (std::size_t i = 0; i < count; ++i) before_[i] = std::signal(signals[i], SIG_IGN);
  }
  ~SignalsIgnored() { restore(); }
  SignalsIgnored(const SignalsIgnored&) = delete;
  SignalsIgnored& operator=(const SignalsIgnored&) = delete;

  static void set_to_default() {
    for (const int signal : signals) std::signal(signal, SIG_DFL);
  }

 private:
  static constexpr int signals[] = {SIGINT, SIGQUIT};
  static constexpr std::size_t count = std::size(signals);

  void restore() {
    for (std::size_t i = 0; i < count; ++i) std::signal(signals[i], before_[i]);
  }

  void (*before_[count])(int) = {};
};

}  // namespace

int run_in_foreground(const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const SignalsIgnored ignored;
  const pid_t child = fork_or_throw();
  if (child == 0) {
    SignalsIgnored::set_to_default();
    ::execvp(words.front(), words.data());
    ::_exit(127);
  }
  return wait_for(child);
}

bool may_trace() {
#ifdef __linux__
  const pid_t child = fork_or_throw();
  if (child == 0) ::_exit(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  return wait_for(child) == 0;
#else
  return true;
#endif
}

}  // namespace tilewise::grading
