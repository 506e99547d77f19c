#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// Runs `lab watch`: grades a stage each time one of its files is saved, and shows the result on
/// the terminal, until a key or Ctrl-C ends it.
/// @param stage  as a user names one; empty: the current one
/// @throws CannotGrade if there is no terminal or no such stage, or if progress.json cannot be
/// used; Interrupted if the process was asked to end by anything but Ctrl-C
void watch(const std::string& stage);

/// Decides what `lab watch` does next, from events and their times alone. It knows no terminal,
/// file, process or clock, so that tests can simulate all of them.
class WatchState {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  /// An editor may write a file in several steps, so it is graded once it has not changed for this
  /// long.
  static constexpr Duration quiet = std::chrono::milliseconds(200);
  /// The limit for a whole grading. Each compilation and each call has a limit of its own, too.
  static constexpr Duration longest_grading = std::chrono::minutes(10);

  /// What the caller has to do.
  enum class Order { start_grading, stop_grading, show_hint, go_on, quit };
  using Orders = std::vector<Order>;

  enum class Phase {
    waiting,   ///< waits for a file to be saved
    settling,  ///< a file was saved, and may be saved again at once
    grading,
    graded,
    timed_out,  ///< grading took longer than longest_grading
  };

  /// What the screen shows.
  enum class View { stage, hint, list };

  Phase phase() const { return phase_; }
  View view() const { return view_; }
  /// When the present phase began.
  Time since() const { return since_; }

  /// Begins with a stage. Grades it at once, or otherwise when a file is saved.
  Orders begin(bool grade_at_once, Time now);
  /// Handles a change of one of the stage's files. It stops a running grading, whose result would
  /// be outdated.
  Orders file_changed(Time now);
  /// Handles a key: h, n, l, r or q, in upper or lower case. Any other key shows the stage again.
  Orders key_pressed(char key, Time now);
  /// Handles the end of a grading that was not stopped.
  Orders grading_ended(Time now);
  /// Handles the passing of time; to be called regularly.
  Orders tick(Time now);

 private:
  void enter(Phase phase, Time now);
  /// Returns the order to stop a running grading, if there is one.
  Orders stopped() const;

  Phase phase_ = Phase::waiting;
  View view_ = View::stage;
  Time since_;
};

/// The size of the screen, and whether it has colours.
struct Canvas {
  std::size_t columns = 80, rows = 24;
  bool colours = false;
};

/// The results of a stage's tests that have ended so far.
struct Findings {
  StageResult stage;
  std::map<std::string, std::string> printed = {};  ///< what the student's code printed, by test
};

/// Describes a grading compactly: the finding nearest the cause in full, which tests fail, and what
/// the code printed. The number of passed tests comes last, where the reader looks.
/// @param device  empty: not all tests have ended
std::string result_view(const Findings& found, const std::string& device, const Canvas& canvas);

/// What is shown after a stage has passed.
struct Passed {
  std::string differences;  ///< from compare_with_solution()
  std::string notes;        ///< the beginning of the solution's notes, one paragraph per line
  std::string next;         ///< the next stage; empty after the last one
};

/// Describes a grading that passed: the comparison with the solution, and last, where the reader
/// looks, praise, the rate and the next stage.
std::string passed_view(const Findings& found, const StageInfo& info, const Passed& passed,
                        const Canvas& canvas);

/// Returns the whole screen: the stage's name and files, `body`, and at the bottom the progress in
/// the course and the keys.
std::string screen(const StageInfo& stage, const std::string& body,
                   const std::vector<StageInfo>& course, const Progress& progress,
                   const Canvas& canvas);

/// Compares the student's files with the stage's solution, as `diff -u` shows it: "-" marks the
/// student's lines, "+" the solution's. All parts that students do not write are the same in both,
/// so only the student's parts differ.
/// @param root  root folder of the course
std::string compare_with_solution(const std::filesystem::path& root, const StageInfo& stage);

/// Takes over the terminal, so that keys arrive one by one and are not echoed. The terminal gets
/// its former settings back at the end of the scope, while Ctrl-Z has stopped the process, and if a
/// signal that can be caught kills the process.
class TerminalSession {
 public:
  /// @throws CannotGrade if standard input or output is not a terminal
  static void demand_terminal();

  /// @throws CannotGrade like demand_terminal()
  TerminalSession();
  ~TerminalSession();
  TerminalSession(const TerminalSession&) = delete;
  TerminalSession& operator=(const TerminalSession&) = delete;

  struct Size {
    int columns = 80, rows = 24;
    bool operator==(const Size&) const = default;
  };
  /// Returns the current size.
  Size size() const;

  /// Waits up to `wait_ms` for keys and returns them, without the sequences of arrow and function
  /// keys.
  std::string read_keys(int wait_ms);

  /// Whether the terminal has been closed.
  bool is_closed() const { return closed_; }

  /// Whether the process was stopped and resumed since the last call, so that the screen has to be
  /// redrawn.
  bool was_resumed();

  /// Clears the screen and shows text from the upper left corner on.
  void show(const std::string& text);

 private:
  void stop_for_a_while();

  bool closed_ = false;
};

/// Notices when files are saved. It polls them, which works on every file system, even if an editor
/// writes another file and renames it.
class FileWatcher {
 public:
  explicit FileWatcher(std::vector<std::filesystem::path> files);

  /// Whether any file was written, replaced, removed or restored since the last call.
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
