#include "grading/watch/watch_state.hpp"

#include <cctype>

namespace tilewise::grading {

using Orders = WatchState::Orders;

void WatchState::enter(Phase phase, Time now) {
  phase_ = phase;
  since_ = now;
}

Orders WatchState::stopped() const {
  return phase_ == Phase::grading ? Orders{Order::stop_grading} : Orders{};
}

Orders WatchState::begin(bool grade_at_once, Time now) {
  Orders orders = stopped();
  view_ = View::stage;
  enter(grade_at_once ? Phase::grading : Phase::waiting, now);
  if (grade_at_once) orders.push_back(Order::start_grading);
  return orders;
}

Orders WatchState::file_changed(Time now) {
  const Orders orders = stopped();
  view_ = View::stage;
  enter(Phase::settling, now);
  return orders;
}

Orders WatchState::key_pressed(char key, Time now) {
  switch (std::tolower(static_cast<unsigned char>(key))) {
    case 'h':
      view_ = View::hint;
      return {Order::show_hint};
    case 'l':
      view_ = view_ == View::list ? View::stage : View::list;
      return {};
    case 'r':
      return begin(true, now);
    case 'n': {
      Orders orders = stopped();
      enter(Phase::waiting, now);
      orders.push_back(Order::go_on);
      return orders;
    }
    case 'q': {
      Orders orders = stopped();
      enter(Phase::waiting, now);
      orders.push_back(Order::quit);
      return orders;
    }
    default:
      view_ = View::stage;
      return {};
  }
}

Orders WatchState::grading_ended(Time now) {
  if (phase_ == Phase::grading) enter(Phase::graded, now);
  return {};
}

Orders WatchState::tick(Time now) {
  if (phase_ == Phase::settling && now - since_ >= quiet) {
    enter(Phase::grading, now);
    return {Order::start_grading};
  }
  if (phase_ == Phase::grading && now - since_ >= longest_grading) {
    enter(Phase::timed_out, now);
    return {Order::stop_grading};
  }
  return {};
}

}  // namespace tilewise::grading
