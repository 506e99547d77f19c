#include "grading/repair/search.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace tilewise::grading {

unsigned processors_to_use() {
  constexpr unsigned most = 8;  // each runs a process with matrices of its own
  return std::clamp(std::thread::hardware_concurrency(), 1U, most);
}

Search::Search(const std::filesystem::path& module, const RepairRequest& request,
               std::vector<std::size_t> order, std::vector<CallLimits>& limits)
    : order_(std::move(order)), states_(order_.size()) {
  if (limits.empty()) {
    Runner own(module, request, {{longest_call_s / times_as_long}});
    limits = own.find_limits(shortest_call_s, times_as_long);
    if (own.all_right(0)) limits.clear();
  }
  goes_wrong_ = !limits.empty();
  if (!goes_wrong_) return;
  // The threads live as long as the search, because a worker ends with the thread that started
  // it.
  for (unsigned i = 0; i < processors_to_use(); ++i) {
    threads_.emplace_back(
        [this, runner = std::make_shared<Runner>(module, request, limits)] { try_all(*runner); });
  }
}

bool Search::is_right(std::size_t i) {
  states_[i].wait(State::open);
  if (states_[i] == State::failed) std::rethrow_exception(error_);
  return states_[i] == State::right;
}

void Search::try_all(Runner& runner) {
  for (std::size_t i = next_++; i < order_.size() && !is_over_; i = next_++) {
    State state = State::wrong;
    try {
      if (runner.all_right(static_cast<std::int32_t>(order_[i] + 1))) state = State::right;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();  // is_right() reads it without the lock
      state = State::failed;
    }
    states_[i] = state;
    states_[i].notify_all();
  }
}

}  // namespace tilewise::grading
