#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/base/language.hpp"
#include "grading/cli/submission.hpp"
#include "grading/watch/watch.hpp"

namespace tilewise::grading {
namespace {

constexpr std::string_view hide_cursor = "\033[?25l", show_cursor = "\033[?25h";

// These are global because signal handlers take no context, and there is only one terminal.
termios original;
volatile std::sig_atomic_t stop_asked = 0, resumed = 0;

constexpr int deadly_signals[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno != EINTR && errno != EAGAIN) return;  // the terminal is gone
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void take_over() {
  termios raw = original;
  // Ctrl-C, Ctrl-Z and line feeds keep working.
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  write_all(hide_cursor);
}

/// Restores the terminal, using only calls that a signal handler may make.
void give_back() {
  ::tcsetattr(STDIN_FILENO, TCSANOW, &original);
  [[maybe_unused]] const ssize_t ignored =
      ::write(STDOUT_FILENO, show_cursor.data(), show_cursor.size());
}

extern "C" void ask_to_stop(int) { stop_asked = 1; }

extern "C" void note_resumption(int) { resumed = 1; }

extern "C" void give_back_and_die(int signal) {
  give_back();
  // SA_RESETHAND has restored the default action, which kills the process once the handler returns.
  ::raise(signal);
}

void handle(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

/// Removes what arrows, function keys and Alt send: an escape, followed by one character or by a
/// sequence "[...x" or "Ox".
std::string without_escapes(std::string_view keys) {
  std::string plain;
  while (!keys.empty()) {
    const char key = keys.front();
    keys.remove_prefix(1);
    if (key != '\033') {
      plain += key;
      continue;
    }
    const bool is_sequence = keys.starts_with('[') || keys.starts_with('O');
    keys.remove_prefix(std::min<std::size_t>(1, keys.size()));
    const auto ends = [](char c) { return '@' <= c && c <= '~'; };
    if (is_sequence) {
      const auto end = std::ranges::find_if(keys, ends);
      keys.remove_prefix(static_cast<std::size_t>(end - keys.begin()) +
                         (end != keys.end() ? 1 : 0));
    }
  }
  return plain;
}

}  // namespace

void TerminalSession::demand_terminal() {
  if (::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 &&
      ::tcgetattr(STDIN_FILENO, &original) == 0) {
    return;
  }
  throw CannotGrade(tr("watch needs a terminal to draw on; without one use ./lab grade"));
}

TerminalSession::TerminalSession() {
  demand_terminal();
  for (const int signal : deadly_signals) {
    handle(signal, give_back_and_die, static_cast<int>(SA_RESETHAND));
  }
  handle(SIGTSTP, ask_to_stop);
  handle(SIGCONT, note_resumption);
  take_over();
}

TerminalSession::~TerminalSession() {
  give_back();
  for (const int signal : deadly_signals) handle(signal, SIG_DFL);
  handle(SIGTSTP, SIG_DFL);
  handle(SIGCONT, SIG_DFL);
}

TerminalSession::Size TerminalSession::size() const {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 ||
      window.ws_row == 0) {
    return {};
  }
  return {window.ws_col, window.ws_row};
}

void TerminalSession::stop_for_a_while() {
  stop_asked = 0;
  give_back();
  handle(SIGTSTP, SIG_DFL);
  ::raise(SIGTSTP);  // returns once the process is continued
  handle(SIGTSTP, ask_to_stop);
  resumed = 1;
}

std::string TerminalSession::read_keys(int wait_ms) {
  if (stop_asked) stop_for_a_while();
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&input, 1, closed_ ? 0 : wait_ms);
  if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  if (ready <= 0) return "";
  std::array<char, 64> buffer;
  const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) closed_ = true;
  if (count <= 0) return "";
  return without_escapes({buffer.data(), static_cast<std::size_t>(count)});
}

bool TerminalSession::was_resumed() {
  if (!resumed) return false;
  resumed = 0;
  take_over();  // another process may have changed the settings meanwhile
  return true;
}

void TerminalSession::show(const std::string& text) {
  constexpr const char* clear = "\033[H\033[2J";
  write_all(clear + text);
}

namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileWatcher::FileWatcher(std::vector<std::filesystem::path> files) : files_(std::move(files)) {
  has_changed();
}

FileWatcher::Stamp FileWatcher::stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
#ifdef __APPLE__
  const timespec modified = status.st_mtimespec, changed = status.st_ctimespec;
#else
  const timespec modified = status.st_mtim, changed = status.st_ctim;
#endif
  return {true, nanoseconds(modified), nanoseconds(changed), status.st_size, status.st_ino};
}

bool FileWatcher::has_changed() {
  std::vector<Stamp> now;
  for (const auto& file : files_) now.push_back(stamp_of(file));
  const bool changed = now != stamps_;
  stamps_ = std::move(now);
  return changed;
}

}  // namespace tilewise::grading
