#pragma once

#include <csignal>
#include <ctime>

namespace tilewise::grading {

/// A time in which only the worker's own thread is to run. Signals wait until it ends, so that no
/// handler of the submission's runs on this thread; what other threads do is measured.
class Undisturbed {
 public:
  /// The driver's threads sleep meanwhile. To read a matrix that is timed, 64 MiB or more, takes a
  /// processor several times as long.
  static constexpr double most_of_others_ms = 2;

  Undisturbed() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    others_at_begin_ms_ = others_since_start_ms();
  }
  ~Undisturbed() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

  /// Processor time of the process's other threads since then, those that have ended included.
  double others_ms() const { return others_since_start_ms() - others_at_begin_ms_; }

 private:
  static double ms(clockid_t clock) {
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  }
  static double others_since_start_ms() {
    return ms(CLOCK_PROCESS_CPUTIME_ID) - ms(CLOCK_THREAD_CPUTIME_ID);
  }

  sigset_t before_;
  double others_at_begin_ms_ = 0;
};

}  // namespace tilewise::grading
