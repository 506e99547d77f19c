#pragma once

#include <termios.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/process/process.hpp"

namespace tilewise::grading {

/// Runs a program on a pseudo-terminal that a test types on and reads.
class PseudoTerminal {
 public:
  /// Starts the program. `environment` is added to this process's environment.
  PseudoTerminal(const std::vector<std::string>& arguments,
                 const std::vector<std::pair<std::string, std::string>>& environment,
                 int columns = 100, int rows = 40);

  /// Sends the program a signal.
  void send(int signal) const { process_->send_signal(signal); }
  void type(const std::string& keys);
  void resize(int columns, int rows);

  /// Reads until `text` is on the screen, or until a long time limit. Text from before the screen
  /// was last cleared does not count.
  bool shows(const std::string& text);

  /// The text on the screen, without the codes that move the cursor.
  const std::string& screen() const { return screen_; }

  /// Discards everything that was written so far.
  void forget() {
    written_.clear();
    screen_.clear();
  }

  /// Everything that was written, including codes.
  const std::string& written() const { return written_; }

  /// The terminal's settings.
  termios attributes() const;

  /// Waits for the program to end and returns its status, as waitpid() does, or -1 if it does not
  /// end.
  int wait();

 private:
  void read_for(std::chrono::milliseconds time);

  FileDescriptor master_, slave_;
  std::string written_, screen_;
  // Declared last, so that the process is killed before its terminal is closed.
  std::optional<Process> process_;
};

}  // namespace tilewise::grading
