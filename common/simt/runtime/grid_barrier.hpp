#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tilewise::simt {

/// The barrier where the blocks of a cooperative launch wait for each other. Each block runs on an
/// operating-system thread of its own.
class GridBarrier {
 public:
  explicit GridBarrier(std::uint64_t blocks) : running_(blocks) {}

  /// @return false if a block that has not arrived has ended
  bool arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t passed = passed_;
    if (++waiting_ == running_) open();
    changed_.wait(lock, [&] { return passed_ != passed || is_broken_; });
    return passed_ != passed && !is_broken_;
  }

  /// Call when a block has ended.
  void leave() {
    const std::lock_guard lock(mutex_);
    --running_;
    // Other blocks wait at a barrier that this one has not reached.
    if (waiting_ > 0) is_broken_ = true;
    changed_.notify_all();
  }

 private:
  void open() {
    waiting_ = 0;
    ++passed_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t running_, waiting_ = 0, passed_ = 0;
  bool is_broken_ = false;
};

}  // namespace tilewise::simt
