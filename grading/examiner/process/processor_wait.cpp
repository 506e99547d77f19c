#include "grading/examiner/process/processor_wait.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

namespace tilewise::grading {

std::chrono::nanoseconds waited_for_processor(pid_t process) {
  std::int64_t longest = 0;
  std::error_code gone;
  std::filesystem::directory_iterator task("/proc/" + std::to_string(process) + "/task", gone);
  for (; !gone && task != std::filesystem::directory_iterator(); task.increment(gone)) {
    // "nanoseconds on a processor, nanoseconds ready for one, turns"
    std::ifstream file(task->path() / "schedstat");
    std::int64_t ran = 0, waited = 0;
    if (file >> ran >> waited) longest = std::max(longest, waited);
  }
  return std::chrono::nanoseconds(longest);
}

std::size_t threads_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  // The second field is a name in parentheses, which may hold anything; the count is the 20th.
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string field;
  constexpr int before = 17;
  for (int i = 0; i < before; ++i) fields >> field;
  std::size_t threads = 0;
  fields >> threads;
  return threads;
}

std::chrono::nanoseconds ran_on_all_processors(pid_t process) {
  clockid_t clock;
  timespec ran{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &ran) != 0) {
    return std::chrono::nanoseconds(0);
  }
  unsigned processors = std::thread::hardware_concurrency();
#ifdef __linux__
  cpu_set_t usable;
  if (sched_getaffinity(process, sizeof usable, &usable) == 0) {
    processors = static_cast<unsigned>(CPU_COUNT(&usable));
  }
#endif
  const auto total = std::chrono::seconds(ran.tv_sec) + std::chrono::nanoseconds(ran.tv_nsec);
  return total / std::max(processors, 1U);
}

}  // namespace tilewise::grading
