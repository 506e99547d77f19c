#include "common/simt/runtime/thread_pool.hpp"

#include <algorithm>

#include "common/simt/runtime/faults.hpp"
#include "common/simt/simt.hpp"

namespace tilewise::simt {

namespace {

/// See set_worker_threads for the reason.
constexpr int most_threads = 16;

}  // namespace

void set_worker_threads(int count) { ThreadPool::instance().resize(count); }

ThreadPool& ThreadPool::instance() {
  // The pool is never destroyed, because a process that exits while a kernel runs must not wait for
  // it.
  static ThreadPool* pool = new ThreadPool;
  return *pool;
}

ThreadPool::ThreadPool() { resize(static_cast<int>(std::thread::hardware_concurrency())); }

void ThreadPool::resize(int threads) {
  stop();
  wanted_ = std::clamp(threads, 1, most_threads);
}

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  round_started_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  handles_.clear();
  stopping_ = false;
}

void ThreadPool::start() {
  while (static_cast<int>(threads_.size()) < wanted_ - 1) {
    threads_.emplace_back(&ThreadPool::serve, this, round_);
    handles_.push_back(threads_.back().native_handle());
  }
}

void ThreadPool::run(const std::function<void()>& work) {
  use_alternate_signal_stack();
  // Threads start with the first launch, so that a program that never launches has only one.
  start();
  is_running_ = true;
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = static_cast<int>(threads_.size());
    ++round_;
  }
  round_started_.notify_all();
  work();
  std::unique_lock lock(mutex_);
  round_ended_.wait(lock, [this] { return busy_ == 0; });
  is_running_ = false;
}

void ThreadPool::serve(unsigned seen_round) {
  use_alternate_signal_stack();
  for (;;) {
    const std::function<void()>* work;
    {
      std::unique_lock lock(mutex_);
      round_started_.wait(lock, [&] { return stopping_ || round_ != seen_round; });
      if (stopping_) return;
      seen_round = round_;
      work = work_;
    }
    (*work)();
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) round_ended_.notify_one();
  }
}

}  // namespace tilewise::simt
