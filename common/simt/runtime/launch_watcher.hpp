#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

namespace tilewise::simt {

/// Notices launches in which no block ends for a second. A GPU holds many blocks at the same time,
/// which may wait for each other in a loop; here only a few run, and these wait for blocks that
/// have not begun.
class LaunchWatcher {
 public:
  /// While the object exists, its launch is watched.
  class Watching {
   public:
    /// @param start_others called once if nothing moves, from another thread
    explicit Watching(std::function<void()> start_others);
    ~Watching();
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;
  };

 private:
  static LaunchWatcher& instance();
  LaunchWatcher();
  void look();

  std::mutex mutex_;
  std::function<void()> start_others_;  ///< for the current launch
  std::uint64_t blocks_done_ = 0;
  int looks_ = 0;  ///< number of looks since a block has ended
};

}  // namespace tilewise::simt
