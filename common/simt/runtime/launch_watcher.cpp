#include "common/simt/runtime/launch_watcher.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "common/simt/runtime/grid_progress.hpp"

namespace tilewise::simt {

LaunchWatcher& LaunchWatcher::instance() {
  static auto* watcher = new LaunchWatcher;  // its thread runs until the program ends
  return *watcher;
}

LaunchWatcher::LaunchWatcher() {
  std::thread([this] {
    while (true) {
      constexpr auto between = std::chrono::milliseconds(100);
      std::this_thread::sleep_for(between);
      look();
    }
  }).detach();
}

void LaunchWatcher::look() {
  constexpr int enough = 10;
  const std::lock_guard lock(mutex_);
  if (!start_others_) return;
  const std::uint64_t done = GridProgress::instance().done();
  looks_ = std::exchange(blocks_done_, done) == done ? looks_ + 1 : 0;
  if (looks_ == enough) std::exchange(start_others_, nullptr)();
}

LaunchWatcher::Watching::Watching(std::function<void()> start_others) {
  LaunchWatcher& watcher = instance();
  const std::lock_guard lock(watcher.mutex_);
  watcher.start_others_ = std::move(start_others);
  watcher.looks_ = 0;
}

LaunchWatcher::Watching::~Watching() {
  LaunchWatcher& watcher = instance();
  const std::lock_guard lock(watcher.mutex_);
  watcher.start_others_ = nullptr;
}

}  // namespace tilewise::simt
