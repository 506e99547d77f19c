#include "grading/watch/pseudo_terminal.hpp"

#ifdef __APPLE__
#include <util.h>
#else
#include <pty.h>
#include <utmp.h>
#endif
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <system_error>

namespace tilewise::grading {
namespace {

using Clock = std::chrono::steady_clock;

/// A loaded machine takes its time; a test that passes does not wait for this.
constexpr auto long_enough = std::chrono::seconds(60);

}  // namespace

PseudoTerminal::PseudoTerminal(const std::vector<std::string>& arguments,
                               const std::vector<std::pair<std::string, std::string>>& environment,
                               int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  if (openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "openpty");
  }
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ > 0) return;
  ::close(master_);
  if (login_tty(slave_) != 0) ::_exit(127);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

PseudoTerminal::~PseudoTerminal() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(slave_);
  ::close(master_);
}

void PseudoTerminal::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

void PseudoTerminal::type(const std::string& keys) {
  if (::write(master_, keys.data(), keys.size()) < 0) {
    throw std::system_error(errno, std::generic_category(), "typing");
  }
}

void PseudoTerminal::resize(int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ::ioctl(master_, TIOCSWINSZ, &size);
}

void PseudoTerminal::read_for(std::chrono::milliseconds time) {
  pollfd output{master_, POLLIN, 0};
  if (::poll(&output, 1, static_cast<int>(time.count())) <= 0) return;
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(master_, buffer.data(), buffer.size());
  if (count <= 0) return;
  written_.append(buffer.data(), static_cast<std::size_t>(count));
  const std::size_t cleared = written_.rfind("\033[2J");
  const std::string last = cleared == written_.npos ? written_ : written_.substr(cleared);
  screen_ = std::regex_replace(last, std::regex("\033\\[[0-9;?]*[A-Za-z]|\r"), "");
}

bool PseudoTerminal::shows(const std::string& text) {
  const auto end = Clock::now() + long_enough;
  while (screen_.find(text) == screen_.npos) {
    if (Clock::now() > end) return false;
    read_for(std::chrono::milliseconds(20));
  }
  return true;
}

termios PseudoTerminal::attributes() const {
  termios attributes{};
  ::tcgetattr(slave_, &attributes);
  return attributes;
}

int PseudoTerminal::wait() {
  const auto end = Clock::now() + long_enough;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (Clock::now() > end) return -1;
    read_for(std::chrono::milliseconds(20));  // it may be waiting for room to write
  }
  read_for(std::chrono::milliseconds(20));
  pid_ = -1;
  return status;
}

}  // namespace tilewise::grading
