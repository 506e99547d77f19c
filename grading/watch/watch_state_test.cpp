#include "grading/watch/watch_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tilewise::grading {
namespace {

using namespace std::chrono_literals;
using Order = WatchState::Order;
using Phase = WatchState::Phase;
using View = WatchState::View;
using testing::ElementsAre;
using testing::IsEmpty;

/// A clock, a file and a grader that do what a test says; gradings that run side by side are a
/// failure.
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

}  // namespace
}  // namespace tilewise::grading
