#pragma once

#include <termios.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/process/process.hpp"

namespace tilewise::grading {

/// A program that runs on a terminal which a test types on and reads.
class PseudoTerminal {
 public:
  /// Starts it. `environment`: set beside this process's.
  PseudoTerminal(const std::vector<std::string>& arguments,
                 const std::vector<std::pair<std::string, std::string>>& environment,
                 int columns = 100, int rows = 40);

  /// Sends the program a signal.
  void send(int signal) const { process_->send_signal(signal); }
  void type(const std::string& keys);
  void resize(int columns, int rows);

  /// Reads until `text` is to be seen on the screen, or for long enough to be sure that it never
  /// will. What was on the screen before the last time it was cleared does not count.
  bool shows(const std::string& text);

  /// What is on the screen, without the codes that move the cursor.
  const std::string& screen() const { return screen_; }

  /// Takes no notice any more of what was written so far.
  void forget() {
    written_.clear();
    screen_.clear();
  }

  /// All that was written, codes included.
  const std::string& written() const { return written_; }

  /// How the terminal is set.
  termios attributes() const;

  /// Waits for the program's end and returns its status, as waitpid() does; -1 if it goes on.
  int wait();

 private:
  void read_for(std::chrono::milliseconds time);

  FileDescriptor master_, slave_;
  std::string written_, screen_;
  std::optional<Process> process_;  // killed before its terminal goes
};

}  // namespace tilewise::grading
