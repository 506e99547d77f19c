#include "grading/watch/watch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/built_parts.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/guide/guide.hpp"
#include "grading/hints/hints.hpp"
#include "grading/progress/progress.hpp"
#include "grading/results/files.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

/// The first `count` lines of a text.
std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

/// The outcome of a grading.
struct GradingResult {
  /// Nothing if there is no result. It reveals nothing about hidden tests.
  std::optional<GradeResult> result;
  std::string problem;  ///< why there is no result
};

/// What `lab grade --events` has reported so far.
struct Told {
  Findings found;
  bool is_graded = false;       ///< the result is written; later events only improve the hint
  std::string cause;            ///< the test that failed first
  std::string numbers, mended;  ///< numbers on its fault, and a change that mends it
};

/// Reads one line of `lab grade --events`.
void take_event(std::string_view line, Told& told) {
  const auto event = nlohmann::ordered_json::parse(line);
  if (event.contains("graded")) {
    told.is_graded = true;
    return;
  }
  for (const auto& [key, text] : {std::pair("numbers", &told.numbers), {"mended", &told.mended}}) {
    if (!event.contains(key)) continue;
    event["test"].get_to(told.cause);
    event[key].get_to(*text);
    return;
  }
  Findings& found = told.found;
  found.stage.tests.push_back(event.at("test").get<TestResult>());
  const std::string printed = event.at("printed").get<std::string>();
  if (!printed.empty()) found.printed[found.stage.tests.back().name] = printed;
}

Command grade_command(const std::string& stage, const std::filesystem::path& result, Told& told) {
  Command command;
  command.arguments = {tool("tilewise"), "grade", stage, "--events", "--json", result};
  command.on_event = [&told](std::string_view line) { take_event(line, told); };
  return command;
}

/// Runs `lab grade STAGE` in a child process. The destructor ends it and all processes that it has
/// started.
class GraderProcess {
 public:
  /// @throws std::system_error if the system is out of processes
  explicit GraderProcess(const std::string& stage)
      : command_(grade_command(stage, result_file(), told_)) {
    told_.found.stage.id = stage;
    told_.found.stage.status = Status::failed;
  }
  ~GraderProcess() {
    constexpr double patience_s = 5;
    command_.end(patience_s);
  }
  GraderProcess(const GraderProcess&) = delete;
  GraderProcess& operator=(const GraderProcess&) = delete;

  /// @throws Interrupted
  bool is_over() { return command_.is_over(); }

  /// The results of the tests so far.
  const Findings& found() const { return told_.found; }

  /// What the grader has reported so far.
  const Told& told() const { return told_; }

  /// Returns the result. It may be called once the grader has reported one or has ended.
  GradingResult result();

 private:
  std::filesystem::path result_file() const { return scratch_.path() / "result.json"; }

  ScratchDirectory scratch_;
  Told told_;
  RunningCommand command_;
};

GradingResult GraderProcess::result() {
  if (!told_.is_graded) {
    const CommandResult ended = command_.wait();
    const bool graded = ended.ending == CommandResult::Ending::exited && ended.status < 2;
    if (!graded) {
      return {std::nullopt,
              ended.output.empty() ? tr("tilewise grade ") + describe_ending(ended) : ended.output};
    }
  }
  try {
    const auto document = nlohmann::ordered_json::parse(text_of(result_file()));
    return {without_hidden(document.get<GradeResult>()), ""};
  } catch (const std::exception& error) {
    return {std::nullopt, tr("the result cannot be read: {}", error.what())};
  }
}

/// Carries out the orders of WatchState. It owns the file watcher, the grader, and what is known
/// about the stage.
class Watch {
 public:
  Watch(fs::path root, const StageInfo& stage) : root_(std::move(root)) {
    change_progress(root_, [&](Progress& progress) { progress.current = stage.id; });
    turn_to(stage);
  }

  void run() {
    TerminalSession terminal;
    while (!quit_ && !terminal.is_closed()) {
      constexpr int moment_ms = 50;
      for (const char key : terminal.read_keys(moment_ms)) {
        if (!quit_) follow(state_.key_pressed(key, Steady::now()));
      }
      throw_if_interrupted();
      if (files_->has_changed()) follow(state_.file_changed(Steady::now()));
      if (grader_) look_at_grader();
      follow(state_.tick(Steady::now()));
      draw(terminal);
    }
  }

 private:
  void turn_to(const StageInfo& stage) {
    stage_ = stage;
    std::vector<fs::path> files;
    for (const std::string& source : stage.sources) {
      files.push_back(root_ / "labs" / stage.id / source);
    }
    files_.emplace(std::move(files));
    grading_ = {};
    progress_ = read_progress(root_);
    // A stage that was never tried is not graded, so that its introduction is shown.
    follow(state_.begin(progress_of(progress_, stage.id).status.has_value(), Steady::now()));
  }

  void follow(const WatchState::Orders& orders) {
    for (const WatchState::Order order : orders) {
      switch (order) {
        case WatchState::Order::start_grading:
          grader_ = std::make_unique<GraderProcess>(stage_.id);
          break;
        case WatchState::Order::stop_grading:
          grader_.reset();
          break;
        case WatchState::Order::show_hint:
          take_hint();
          break;
        case WatchState::Order::go_on:
          go_on_to_next();
          break;
        case WatchState::Order::quit:
          quit_ = true;
          break;
      }
    }
  }

  /// Takes the grader's result once it is there. What the grader reports after the verdict replaces
  /// the hint.
  void look_at_grader() {
    const bool is_over = grader_->is_over();
    const bool is_news = state_.phase() == WatchState::Phase::grading;
    if (is_news && (is_over || grader_->told().is_graded)) take_result();
    if (!is_over) return;
    const Told told = grader_->told();
    grader_.reset();
    if (!grading_.result) return;
    for (TestResult& test : grading_.result->stages.front().tests) {
      if (test.name != told.cause) continue;
      test.finding.message += told.numbers;
      if (!told.mended.empty()) test.finding.hint = told.mended;
    }
  }

  void take_result() {
    grading_ = grader_->result();
    printed_ = grader_->found().printed;
    note_.clear();
    passed_ = {};
    const auto is_passed = [&] {
      return grading_.result && grading_.result->stages.front().status == Status::passed;
    };
    if (is_passed()) {
      change_progress(root_, [&](Progress& progress) {
        const StageInfo* next = next_stage(progress, stages(), stage_.id);
        if (!next) return;
        progress.current = next->id;
        passed_.next = next->id;
      });
      constexpr int a_few = 2;
      passed_.differences = compare_with_solution(root_, stage_);
      passed_.notes = first_lines(first_notes(root_, stage_.id), a_few);
    }
    progress_ = read_progress(root_);
    follow(state_.grading_ended(Steady::now()));
  }

  void take_hint() {
    change_progress(root_, [&](Progress& progress) {
      hint_ = next_hint(root_, stage_, read_hints(root_, stage_.id), progress.stages[stage_.id]);
    });
  }

  void go_on_to_next() {
    std::string current;
    change_progress(root_, [&](Progress& progress) {
      progress.current = stage_.id;  // take_result() may have set the next stage already
      note_ = go_on(root_, stages(), progress);
      current = progress.current;
    });
    if (current != stage_.id) return turn_to(choose_stages({current}, stages()).front());
    follow(state_.begin(false, Steady::now()));  // there is no next stage, as the note says
  }

  /// Returns the view of the stage itself.
  std::string stage_view(const Canvas& canvas) const {
    const std::size_t width = std::min(canvas.columns, readable_width);
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(Steady::now() - state_.since()).count();
    switch (state_.phase()) {
      case WatchState::Phase::waiting:
        return wrapped(note_.empty() ? introduction(root_, stage_) : note_, "", width) +
               tr("\nIt is graded each time you save, and when you press r.\n");
      case WatchState::Phase::settling:
        return tr("Saved.\n");
      case WatchState::Phase::grading:
        return wrapped(note_.empty() ? "" : note_ + "\n", "", width) +
               (grader_ && !grader_->found().stage.tests.empty()
                    ? result_view(grader_->found(), "", canvas) + tr("Grading")
                    : tr("Compiling and grading")) +
               fmt::format(" ... {} s\n", seconds);
      case WatchState::Phase::timed_out:
        return tr(
            "Grading took longer than {} minutes and was stopped. Does a loop never end?\n",
            std::chrono::duration_cast<std::chrono::minutes>(WatchState::longest_grading).count());
      case WatchState::Phase::graded:
        break;
    }
    if (!grading_.result) {
      return tr("There is no verdict:\n\n") + wrapped(printable(grading_.problem), "  ", width);
    }
    const Findings found{grading_.result->stages.front(), printed_};
    if (found.stage.status == Status::passed) return passed_view(found, stage_, passed_, canvas);
    std::string view = result_view(found, grading_.result->device, canvas);
    const StageProgress known = progress_of(progress_, stage_.id);
    if (known.best_score > found.stage.score) {
      view += tr("Your best result stands: {} of {} points\n", known.best_score, known.max_score);
    }
    return view;
  }

  std::string body(const Canvas& canvas) const {
    switch (state_.view()) {
      case WatchState::View::hint:
        return printable(hint_.title) + "\n\n" +
               wrapped(printable(hint_.text), "  ", std::min(canvas.columns, readable_width)) +
               tr("\nAny other key: back\n");
      case WatchState::View::list:
        return status_table(stages(), progress_) + tr("\nl: back\n");
      case WatchState::View::stage:
        break;
    }
    return stage_view(canvas);
  }

  void draw(TerminalSession& terminal) {
    const TerminalSession::Size size = terminal.size();
    const Canvas canvas{static_cast<std::size_t>(size.columns), static_cast<std::size_t>(size.rows),
                        style_.colours};
    std::string text = screen(stage_, body(canvas), stages(), progress_, canvas);
    const bool as_it_was = text == shown_ && size == shown_size_;
    if (as_it_was && !terminal.was_resumed()) return;
    terminal.show(text);
    shown_ = std::move(text);
    shown_size_ = size;
  }

  const fs::path root_;
  const TerminalStyle style_ = style_of_standard_output();
  WatchState state_;
  StageInfo stage_;
  std::optional<FileWatcher> files_;
  std::unique_ptr<GraderProcess> grader_;
  Progress progress_;
  GradingResult grading_;
  std::map<std::string, std::string> printed_;  ///< what the student's code printed, by test
  Passed passed_;
  Hint hint_;
  std::string note_;  ///< the message of go_on() about this stage
  std::string shown_;
  TerminalSession::Size shown_size_;
  bool quit_ = false;
};

}  // namespace

void watch(const std::string& word) {
  TerminalSession::demand_terminal();
  const fs::path root = core::project_root();
  const Progress progress = read_progress(root);
  const StageInfo stage =
      word.empty() ? current_stage(progress, stages()) : choose_stages({word}, stages()).front();
  have_built(parts_that_grade({stage}));
  try {
    Watch(root, stage).run();
  } catch (const Interrupted& interrupted) {
    if (interrupted.signal != SIGINT) throw;  // the user quits by Ctrl-C
  }
  fmt::print("\n");
}

}  // namespace tilewise::grading
