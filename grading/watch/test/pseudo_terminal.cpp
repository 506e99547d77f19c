#include "grading/watch/test/pseudo_terminal.hpp"

#ifdef __APPLE__
#include <util.h>
#else
#include <pty.h>
#endif
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <regex>
#include <system_error>

namespace tilewise::grading {
namespace {

using Clock = std::chrono::steady_clock;

/// The limit for a loaded machine; a test that passes does not wait so long.
constexpr auto long_enough = std::chrono::seconds(60);

}  // namespace

PseudoTerminal::PseudoTerminal(const std::vector<std::string>& arguments,
                               const std::vector<std::pair<std::string, std::string>>& environment,
                               int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  int master = -1, slave = -1;
  if (openpty(&master, &slave, nullptr, nullptr, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "openpty");
  }
  master_ = FileDescriptor(master);
  slave_ = FileDescriptor(slave);
  Program program;
  program.arguments = arguments;
  program.environment = environment;
  process_.emplace(program, ProcessOptions{.descriptors = {slave, slave, slave},
                                           .place = ProcessOptions::Place::terminal});
}

void PseudoTerminal::type(const std::string& keys) {
  if (::write(master_.get(), keys.data(), keys.size()) < 0) {
    throw std::system_error(errno, std::generic_category(), "typing");
  }
}

void PseudoTerminal::resize(int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ::ioctl(master_.get(), TIOCSWINSZ, &size);
}

void PseudoTerminal::read_for(std::chrono::milliseconds time) {
  pollfd output{master_.get(), POLLIN, 0};
  if (::poll(&output, 1, static_cast<int>(time.count())) <= 0) return;
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(master_.get(), buffer.data(), buffer.size());
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
  ::tcgetattr(slave_.get(), &attributes);
  return attributes;
}

int PseudoTerminal::wait() {
  const auto end = Clock::now() + long_enough;
  while (!process_->has_exited()) {
    if (Clock::now() > end) return -1;
    // The program may be blocked until its output is read.
    read_for(std::chrono::milliseconds(20));
  }
  read_for(std::chrono::milliseconds(20));
  return process_->wait();
}

}  // namespace tilewise::grading
