#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>

namespace tilewise::simt {

/// The progress of the current launch, for a signal handler, which has to distinguish a slow kernel
/// from one that never ends.
class GridProgress {
 public:
  static GridProgress& instance() {
    static GridProgress progress;
    return progress;
  }

  void start(std::uint64_t blocks, std::int64_t now = now_ns()) {
    done_ = 0;
    started_ns_ = last_ns_ = now;
    blocks_ = blocks;
  }
  void note_block(std::int64_t now = now_ns()) {
    ++done_;
    last_ns_ = now;
  }

  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t done() const { return done_; }

  /// Whether the last block ended not much longer ago than blocks take. Returns false for a launch
  /// that has only just begun, because host code that launches without end makes many of these.
  bool is_moving(std::int64_t now = now_ns()) const {
    constexpr std::int64_t turns = 4, jitter_ns = 20'000'000, long_enough_ns = 500'000'000;
    const std::uint64_t done = done_;
    if (done == 0 || now - started_ns_ < long_enough_ns) return false;
    const std::int64_t a_block = (last_ns_ - started_ns_) / static_cast<std::int64_t>(done);
    return now - last_ns_ < turns * a_block + jitter_ns;
  }

 private:
  static std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  std::atomic<std::uint64_t> blocks_ = 0, done_ = 0;
  std::atomic<std::int64_t> started_ns_ = 0, last_ns_ = 0;
};

}  // namespace tilewise::simt
