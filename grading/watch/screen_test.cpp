#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "common/process/sandbox.hpp"
#include "grading/progress/test/example_progress.hpp"
#include "grading/results/test/example_grade.hpp"
#include "grading/watch/watch.hpp"

namespace tilewise::grading {
namespace {

using namespace std::chrono_literals;
using Order = WatchState::Order;
using Phase = WatchState::Phase;
using View = WatchState::View;
using testing::ElementsAre;
using testing::IsEmpty;

/// Simulates a clock, a file and a grader under a test's control. It fails if two gradings run at
/// the same time.
class Watching : public testing::Test {
 protected:
  void follow(const WatchState::Orders& orders) {
    for (const Order order : orders) {
      if (order == Order::start_grading) {
        EXPECT_FALSE(grading_) << "two at once";
        grading_ = true;
        ++started_;
      } else if (order == Order::stop_grading) {
        EXPECT_TRUE(grading_) << "nothing to stop";
        grading_ = false;
      } else {
        others_.push_back(order);
      }
    }
  }
  void pass(WatchState::Duration time) {
    constexpr auto step = 50ms;
    for (const auto end = now_ + time; now_ < end;) {
      now_ += std::min<WatchState::Duration>(step, end - now_);
      follow(state_.tick(now_));
    }
  }
  void save() { follow(state_.file_changed(now_)); }
  void press(char key) { follow(state_.key_pressed(key, now_)); }
  void begin(bool at_once) { follow(state_.begin(at_once, now_)); }
  void end_grading() {
    ASSERT_TRUE(grading_);
    grading_ = false;
    follow(state_.grading_ended(now_));
  }

  WatchState state_;
  WatchState::Time now_{};
  bool grading_ = false;
  int started_ = 0;
  std::vector<Order> others_;
};

TEST_F(Watching, GradesOnceAfterASave) {
  begin(false);
  pass(1h);
  EXPECT_EQ(started_, 0);
  save();
  EXPECT_EQ(state_.phase(), Phase::settling);
  pass(WatchState::quiet - 1ms);
  EXPECT_EQ(started_, 0);
  pass(1ms);
  EXPECT_EQ(started_, 1);
  pass(5s);
  end_grading();
  EXPECT_EQ(state_.phase(), Phase::graded);
  pass(1h);
  EXPECT_EQ(started_, 1);
}

TEST_F(Watching, GradesTheLastOfSeveralQuickSaves) {
  begin(false);
  for (int i = 0; i < 20; ++i) {
    save();
    pass(WatchState::quiet / 2);
  }
  EXPECT_EQ(started_, 0);
  pass(WatchState::quiet);
  EXPECT_EQ(started_, 1);
}

TEST_F(Watching, ASaveDuringGradingStartsItOver) {
  begin(true);
  EXPECT_EQ(started_, 1);
  pass(3s);
  save();
  EXPECT_FALSE(grading_);
  pass(WatchState::quiet);
  EXPECT_TRUE(grading_);
  EXPECT_EQ(started_, 2);
}

TEST_F(Watching, AGradingThatTakesTooLongIsStopped) {
  begin(true);
  pass(WatchState::longest_grading - 1s);
  EXPECT_TRUE(grading_);
  pass(1s);
  EXPECT_FALSE(grading_);
  EXPECT_EQ(state_.phase(), Phase::timed_out);
  save();
  pass(WatchState::quiet);
  EXPECT_TRUE(grading_) << "and the next save is graded";
}

TEST_F(Watching, KeysDoWhatTheySay) {
  const struct {
    char key;
    std::vector<Order> orders;
    View view;
  } cases[] = {
      {'h', {Order::show_hint}, View::hint},
      {'H', {Order::show_hint}, View::hint},
      {'n', {Order::go_on}, View::stage},
      {'q', {Order::quit}, View::stage},
      {'l', {}, View::list},
      {'x', {}, View::stage},
      {'\n', {}, View::stage},
      {'\xff', {}, View::stage},
  };
  for (const auto& [key, orders, view] : cases) {
    WatchState state;
    EXPECT_EQ(state.key_pressed(key, now_), orders) << key;
    EXPECT_EQ(state.view(), view) << key;
  }
}

TEST_F(Watching, KeysThatLeaveTheStageStopItsGrading) {
  for (const char key : {'n', 'q'}) {
    begin(true);
    press(key);
    EXPECT_FALSE(grading_) << key;
    pass(1h);
    EXPECT_FALSE(grading_) << key;
  }
}

TEST_F(Watching, RunsAgainOneAtATime) {
  begin(true);
  press('r');
  press('r');
  EXPECT_TRUE(grading_);
  EXPECT_EQ(started_, 3);
  end_grading();
  press('r');
  EXPECT_EQ(started_, 4);
}

TEST_F(Watching, GradesOnWhileAHintIsRead) {
  begin(true);
  press('h');
  pass(1s);
  EXPECT_TRUE(grading_);
  end_grading();
  EXPECT_EQ(state_.view(), View::hint) << "nobody is torn away from it";
  press(' ');
  EXPECT_EQ(state_.view(), View::stage);
  press('h');
  save();
  EXPECT_EQ(state_.view(), View::stage) << "but a save wants its result";
}

TEST_F(Watching, ShowsTheListAndTheStageInTurns) {
  begin(false);
  press('l');
  EXPECT_EQ(state_.view(), View::list);
  press('l');
  EXPECT_EQ(state_.view(), View::stage);
}

TEST_F(Watching, WhatEndsLateIsOfNoInterest) {
  begin(true);
  save();
  follow(state_.grading_ended(now_));
  EXPECT_EQ(state_.phase(), Phase::settling);
}

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const StageInfo info = {"03_shared_memory", {"matmul_shared.cu"}, {"matmul_shared"}};

Findings passed_stage() {
  StageResult stage = example_grade().stages[0];
  stage.tests.resize(1);
  stage.tests[0].category = Category::performance;
  stage.tests[0].finding.message = "994 GFLOPS";
  add_up(stage);
  return {stage};
}

TEST(ResultView, HasTheNearestCauseInFullAndTheVerdictLast) {
  const Findings found = {example_grade().stages[0], {{"MatmulShared.Passes", "i = 1\n"}}};
  const std::string view = result_view(found, "gtx1080 (modelled)", {});
  EXPECT_THAT(view, EndsWith("\n1 of 4 tests passed, 3 of 8 points  (gtx1080 (modelled))\n"));
  EXPECT_THAT(view, HasSubstr("Your code printed in MatmulShared.Passes:\n  | i = 1\n"));
  EXPECT_THAT(view, HasSubstr("After that: MatmulShared.CannotBeJudged, "
                              "MatmulShared.IsInconclusive\n"));
  EXPECT_THAT(
      view,
      AllOf(HasSubstr("MatmulShared.Fails\n  labs/03_shared_memory/matmul_shared.cu:31\n"
                      "  C[3][5] is \"1.25\" & <wrong>\n  block (0, 0)\n"
                      "  Next: look at the \\x1b[31medges\n"),
            Not(HasSubstr("\033")), Not(HasSubstr("needs a GPU")), Not(HasSubstr("no worker"))));
}

TEST(ResultView, SaysOnceWhyNothingCouldBeGraded) {
  StageResult stage = example_grade().stages[0];
  for (TestResult& test : stage.tests)
    test = {test.name, {}, Status::error, 0, 1, {.message = "no ;", .file = "a.cu", .line = 3}, {}};
  stage.status = Status::error;
  EXPECT_EQ(result_view({stage}, "gtx1080 (modelled)", {}),
            "  labs/03_shared_memory/a.cu:3\n  no ;\n\nNothing could be graded\n");
}

TEST(ResultView, ShowsWhatIsInconclusiveOnlyWhereNothingFailed) {
  StageResult stage = example_grade().stages[0];
  std::swap(stage.tests[1], stage.tests[3]);
  EXPECT_THAT(result_view({stage}, "", {}), HasSubstr("block (0, 0)"));
  stage.tests = {stage.tests[1]};
  EXPECT_THAT(result_view({stage}, "", {}), HasSubstr("the card was throttled"));
}

TEST(ResultView, ShowsTestsAsTheyEnd) {
  StageResult stage = example_grade().stages[0];
  stage.tests.resize(2);
  EXPECT_THAT(result_view({stage}, "", {}),
              AllOf(HasSubstr("block (0, 0)"), EndsWith("1 of 2 tests passed so far\n")));
}

TEST(PassedView, PraisesAndComparesAndLeadsOn) {
  const Passed passed{"--- a\n+++ b\n-mine\n+theirs\n", "One reason.\nAnother.\n", "04_prefetch"};
  const std::string view = passed_view(passed_stage(), info, passed, {});
  for (const char* words :
       {"*** 03_shared_memory passed: 3 of 3 points. Well done! ***\n994 GFLOPS\nPress n",
        "-mine\n+theirs\n", "One reason.\nAnother.\n", "solutions/03_shared_memory/NOTES.md",
        "Press n to go on to 04_prefetch"}) {
    EXPECT_THAT(view, HasSubstr(words));
  }
  EXPECT_THAT(view, Not(HasSubstr("\033")));
  EXPECT_THAT(passed_view(passed_stage(), info, passed, {.colours = true}),
              AllOf(HasSubstr("\033[31m-mine\033[0m"), HasSubstr("\033[32m+theirs\033[0m")));
}

TEST(PassedView, KnowsTheSolutionAndTheLastStage) {
  EXPECT_THAT(passed_view(passed_stage(), info, {}, {}),
              AllOf(HasSubstr("Your code is the solution's"), HasSubstr("no other stage left")));
}

TEST(PassedView, KeepsTheVerdictOnTheScreenAndWordsWhole) {
  Passed passed{.differences = "",
                .notes = "Words that go on for more than the width of it.\n",
                .next = "04_prefetch"};
  for (int i = 0; i < 200; ++i) passed.differences += "+line " + std::string(120, 'x') + "\n";
  for (const auto& [columns, rows] : {std::pair(80u, 24u), std::pair(100u, 40u)}) {
    const Canvas canvas{.columns = columns, .rows = rows};
    const std::string text = screen(info, passed_view(passed_stage(), info, passed, canvas),
                                    example_course(), example_progress(), canvas);
    EXPECT_LE(std::ranges::count(text, '\n'), rows - 1);
    EXPECT_GE(std::ranges::count(text, '\n'), rows - 4) << "but there is room";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), columns) << line;
    EXPECT_THAT(text, AllOf(HasSubstr(" passed: "), HasSubstr("994 GFLOPS"),
                            HasSubstr(" more lines: compare")));
  }
}

TEST(Screen, HasTheFilesTheProgressAndTheKeys) {
  const std::string text = screen(info, "body\n", example_course(), example_progress(), {});
  EXPECT_THAT(text, StartsWith("Watching labs/03_shared_memory/matmul_shared.cu\n\nbody\n\n["));
  EXPECT_THAT(text,
              AllOf(HasSubstr("] 1 of 9 stages\n"), HasSubstr("h hint"), HasSubstr("q quit")));
  EXPECT_FALSE(text.ends_with('\n')) << "it would scroll";
}

TEST(Screen, KeepsToNarrowTerminals) {
  const Passed passed{"", "Words that go on for more than the width of it.\n", ""};
  for (const std::size_t columns : {1u, 7u, 20u, 40u}) {
    const Canvas canvas{.columns = columns, .rows = 10, .colours = false};
    const std::string text = screen(info, passed_view(passed_stage(), info, passed, canvas),
                                    example_course(), {}, canvas);
    EXPECT_THAT(text, HasSubstr("quit"));
    std::istringstream bar(text.substr(text.rfind(" of 9 stages") - 1));
    std::string line;
    std::getline(bar, line);
    for (std::getline(bar, line); columns >= 20 && bar; std::getline(bar, line)) {
      EXPECT_LE(line.size(), columns) << line;
    }
  }
}

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const StageInfo stage = {"01_a", {"a.cu"}, {"a"}};

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

TEST(CompareWithSolution, ShowsTheStudentsPartAndTheSolutions) {
  const std::string solution = "head\n  // lab: begin sum up\n  theirs\n  // lab: end\ntail\n";
  const struct {
    const char* what;
    const char* mine;
    std::string differences;
  } cases[] = {
      {"another way", "head\n  mine\ntail\n",
       "--- labs/01_a/a.cu\n+++ solutions/01_a/a.cu\n@@ -1,3 +1,3 @@\n head\n-  mine\n+  theirs\n "
       "tail\n"},
      {"the same", "head\n  theirs\ntail\n", ""},
      {"the same but for blanks", "head\n\t  theirs\ntail\n", ""},
  };
  for (const auto& [what, mine, differences] : cases) {
    const ScratchDirectory root;
    put(root.path() / "solutions/01_a/a.cu", solution);
    put(root.path() / "labs/01_a/a.cu", mine);
    EXPECT_EQ(compare_with_solution(root.path(), stage), differences) << what;
  }
}

TEST(CompareWithSolution, IsSafeToShow) {
  const ScratchDirectory root;
  put(root.path() / "solutions/01_a/a.cu", "x\n");
  put(root.path() / "labs/01_a/a.cu", "\033]0;title\a\n");
  EXPECT_THAT(compare_with_solution(root.path(), stage), Not(HasSubstr("\033")));
}

TEST(CompareWithSolution, SaysWhatCannotBeCompared) {
  const ScratchDirectory root;
  put(root.path() / "solutions/01_a/a.cu", "x\n");
  EXPECT_THAT(compare_with_solution(root.path(), stage),
              AllOf(HasSubstr("labs/01_a/a.cu"), HasSubstr("could not be compared")));
}

}  // namespace
}  // namespace tilewise::grading
