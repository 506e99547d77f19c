#include "grading/examiner/process/processor_wait.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

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

}  // namespace tilewise::grading
