#include "grading/examiner/process/connection.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

namespace tilewise::grading {
namespace {

using namespace std::chrono_literals;

/// A process that runs until the end of this object on the first processor that it may have, or
/// sleeps.
class Other {
 public:
  explicit Other(bool busy) : pid_(fork()) {
    if (pid_ != 0) return;
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (volatile bool go_on = true; go_on;) {
      if (!busy) pause();
    }
  }
  ~Other() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(WaitedForProcessor, TellsThoseThatWaitFromThoseThatSleep) {
  if (access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "this system does not tell";
  const Other first(true), second(true), third(true), asleep(false);
  std::this_thread::sleep_for(600ms);
  const auto waited = waited_for_processor(first.pid()) + waited_for_processor(second.pid()) +
                      waited_for_processor(third.pid());
  // Two of the three wait at any time.
  EXPECT_GT(waited, 600ms);
  EXPECT_LT(waited_for_processor(asleep.pid()), 300ms);
}

TEST(RanOnAllProcessors, CountsWhatAProcessKeepsBusy) {
  const auto begun = std::chrono::steady_clock::now();
  const Other busy(true), asleep(false);  // the first runs on one processor only
  const auto passed = [&] { return std::chrono::steady_clock::now() - begun; };
  auto ran = ran_on_all_processors(busy.pid());
  // The loop goes on however little of its processor others leave to the process.
  while (ran <= 200ms && passed() < 30s) {
    std::this_thread::sleep_for(20ms);
    ran = ran_on_all_processors(busy.pid());
  }
  EXPECT_GT(ran, 200ms);
  EXPECT_LT(ran, passed() + 100ms);
  EXPECT_LT(ran_on_all_processors(asleep.pid()), 100ms);
}

TEST(WaitedForProcessor, IsZeroForAProcessThatIsGone) {
  pid_t gone = 0;
  {
    const Other other(false);
    gone = other.pid();
  }
  EXPECT_EQ(waited_for_processor(gone), 0ns);
  EXPECT_EQ(ran_on_all_processors(gone), 0ns);
}

}  // namespace
}  // namespace tilewise::grading
