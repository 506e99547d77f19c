#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

/// The terminal, taken over so that keys come one by one and are not echoed. It is given back as it
/// was at the end of the scope, while the process is stopped by Ctrl-Z, and where a signal kills
/// the process that can be caught.
class TerminalSession {
 public:
  /// @throws CannotGrade where standard input or output is no terminal
  static void demand_terminal();

  /// @throws CannotGrade as demand_terminal()
  TerminalSession();
  ~TerminalSession();
  TerminalSession(const TerminalSession&) = delete;
  TerminalSession& operator=(const TerminalSession&) = delete;

  struct Size {
    int columns = 80, rows = 24;
    bool operator==(const Size&) const = default;
  };
  /// As it is at the moment.
  Size size() const;

  /// Waits up to `wait_ms` for keys. What an arrow or a function key sends is left out.
  std::string read_keys(int wait_ms);

  /// Whether the terminal is gone.
  bool is_closed() const { return closed_; }

  /// Whether the screen has to be drawn anew, since the process was stopped meanwhile; once each
  /// time.
  bool was_resumed();

  /// Shows text from the upper left corner on, and nothing else.
  void show(const std::string& text);

 private:
  void stop_for_a_while();

  bool closed_ = false;
};

/// Notices that files are saved. It looks again and again, which works on every file system, also
/// where an editor writes another file and renames it.
class FileWatcher {
 public:
  explicit FileWatcher(std::vector<std::filesystem::path> files);

  /// Whether any file differs from how it was at the last look: written, replaced, removed, back.
  bool has_changed();

 private:
  struct Stamp {
    bool exists = false;
    std::int64_t modified_ns = 0, changed_ns = 0, size = 0;
    std::uint64_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);

  std::vector<std::filesystem::path> files_;
  std::vector<Stamp> stamps_;
};

}  // namespace tilewise::grading
