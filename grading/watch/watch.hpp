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

/// `lab watch`: grades a stage each time one of its files is saved, and shows what came of it on
/// the terminal, until a key or Ctrl-C ends it.
/// @param stage  as a user names one; empty: the current one
/// @throws CannotGrade where there is no terminal, no such stage or no use of progress.json;
/// Interrupted where the process was asked to end otherwise than by Ctrl-C
void watch(const std::string& stage);

/// What `lab watch` does next, decided from what happens and when, and nothing else: it knows no
/// terminal, no file, no process and no clock, so that tests can play any of them.
class WatchState {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  /// An editor may write a file in several steps; it is graded once it was left alone so long.
  static constexpr Duration quiet = std::chrono::milliseconds(200);
  /// A grading has limits of its own for each compilation and each call; this is for all of it.
  static constexpr Duration longest_grading = std::chrono::minutes(10);

  /// What the surroundings are to do.
  enum class Order { start_grading, stop_grading, show_hint, go_on, quit };
  using Orders = std::vector<Order>;

  enum class Phase {
    waiting,   ///< for a file to be saved
    settling,  ///< one was saved, perhaps not for the last time
    grading,
    graded,
    timed_out,  ///< grading took longer than longest_grading
  };

  /// What is to be seen.
  enum class View { stage, hint, list };

  Phase phase() const { return phase_; }
  View view() const { return view_; }
  /// When the present phase began.
  Time since() const { return since_; }

  /// Begins with a stage, at once with its grading or when it is saved.
  Orders begin(bool grade_at_once, Time now);
  /// A file of the stage has changed. A grading that is under way is of no interest any more.
  Orders file_changed(Time now);
  /// h, n, l, r and q, large or small; any other key shows the stage again.
  Orders key_pressed(char key, Time now);
  /// The grading has ended by itself.
  Orders grading_ended(Time now);
  /// Time goes by.
  Orders tick(Time now);

 private:
  void enter(Phase phase, Time now);
  /// Stops what is under way.
  Orders stopped() const;

  Phase phase_ = Phase::waiting;
  View view_ = View::stage;
  Time since_;
};

/// How much room there is, and whether for colours.
struct Canvas {
  std::size_t columns = 80, rows = 24;
  bool colours = false;
};

/// What tests of a stage have found, as far as they have ended.
struct Findings {
  StageResult stage;
  std::map<std::string, std::string> printed = {};  ///< by the student's code, by test
};

/// A grading, compactly: the finding nearest the cause in full, which tests fail, what the code
/// printed, and last, where the eye is, how many tests have passed.
/// @param device  empty: not all tests have ended
std::string result_view(const Findings& found, const std::string& device, const Canvas& canvas);

/// What a stage that has passed is followed by.
struct Passed {
  std::string differences;  ///< as compare_with_solution() gives them
  std::string notes;        ///< the beginning of the solution's notes, a paragraph a line
  std::string next;         ///< the stage that comes next; empty after the last one
};

/// A grading that passed: the solution beside, and last, where the eye is, praise, the rate and
/// what comes next.
std::string passed_view(const Findings& found, const StageInfo& info, const Passed& passed,
                        const Canvas& canvas);

/// The screen: a stage's name and files, `body`, and at the bottom the progress of the course and
/// the keys.
std::string screen(const StageInfo& stage, const std::string& body,
                   const std::vector<StageInfo>& course, const Progress& progress,
                   const Canvas& canvas);

/// What a stage's solution does otherwise than the student's files, as `diff -u` shows it: "-" are
/// the student's lines, "+" the solution's. Since all that is not to be written is the same in
/// both, these are the parts that the student wrote.
/// @param root  of the course
std::string compare_with_solution(const std::filesystem::path& root, const StageInfo& stage);

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
