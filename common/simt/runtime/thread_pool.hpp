#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewise::simt {

/// Operating-system threads that run blocks; the thread that launches a kernel is one of them.
class ThreadPool {
 public:
  static ThreadPool& instance();

  /// Takes effect at the next call of run().
  void resize(int threads);

  /// Starts the threads that run() would start.
  void start();

  /// Whether run() is under way.
  bool is_running() const { return is_running_; }

  /// Calls `work` once on every thread, and returns when all calls have returned.
  void run(const std::function<void()>& work);

  /// Returns the number of threads that take part in run().
  int size() const { return wanted_; }

  /// Returns the pool's own threads, for a signal handler that looks for the one that runs a
  /// kernel.
  const std::vector<pthread_t>& handles() const { return handles_; }

 private:
  ThreadPool();
  void serve(unsigned seen_round);
  void stop();

  std::mutex mutex_;
  std::condition_variable round_started_, round_ended_;
  std::vector<std::thread> threads_;
  std::vector<pthread_t> handles_;
  int wanted_ = 1;  ///< includes the launching thread
  unsigned round_ = 0;
  int busy_ = 0;
  std::atomic<bool> is_running_ = false;
  bool stopping_ = false;
  const std::function<void()>* work_ = nullptr;
};

}  // namespace tilewise::simt
