#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

namespace tilewise::simt {

/// Notices launches of which no block comes to its end for a second. A GPU holds many blocks at a
/// time, which may wait for each other in a loop; here a few run, and those wait for blocks that have
/// not begun.
class LaunchWatcher {
 public:
  /// While it exists, a launch is watched.
  class Watching {
   public:
    /// @param start_others  what is called, once, where nothing moves; from another thread
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
  std::function<void()> start_others_;  ///< of the launch under way
  std::uint64_t blocks_done_ = 0;
  int looks_ = 0;  ///< since a block has ended
};

}  // namespace tilewise::simt
