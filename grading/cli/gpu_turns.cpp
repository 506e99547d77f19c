#include "grading/cli/gpu_turns.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <set>

namespace tilewise::grading {
namespace {

// Letters and digits, so that it names a file whatever stands there.
std::string file_name_of(std::string uuid) {
  std::ranges::replace_if(
      uuid, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '_');
  return "tilewise-" + uuid + ".lock";
}

// A descriptor that no program started from here inherits, so that the turn ends with this process.
int open_lock_file(const std::filesystem::path& path) {
  constexpr int common = O_CLOEXEC | O_NOFOLLOW;
  constexpr mode_t for_all = 0666;
  const int created = open(path.c_str(), common | O_RDWR | O_CREAT, for_all);
  // Systems keep others' files in a folder for all from being opened as if to create them.
  return created >= 0 ? created : open(path.c_str(), common | O_RDONLY);
}

}  // namespace

std::filesystem::path folder_of_turns() {
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  return none ? "/tmp" : folder;
}

bool try_to_take(const std::string& uuid, const std::filesystem::path& folder) {
  static std::set<std::filesystem::path> taken;
  const std::filesystem::path path = folder / file_name_of(uuid);
  if (taken.contains(path)) return true;
  const int file = open_lock_file(path);
  if (file < 0) return true;
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file);
    return false;
  }
  taken.insert(path);
  return true;
}

const GpuLoad& take_one_of(const std::vector<GpuLoad>& gpus, const GpuTurns& turns) {
  std::vector<const GpuLoad*> in_order;
  for (const GpuLoad& gpu : gpus) in_order.push_back(&gpu);
  std::ranges::sort(in_order, [](const GpuLoad* a, const GpuLoad* b) { return less_busy(*a, *b); });
  bool told = false;
  while (true) {
    const auto free =
        std::ranges::find_if(in_order, [&](const GpuLoad* gpu) { return turns.try_to_take(*gpu); });
    if (free != in_order.end()) return **free;
    if (!told) turns.tell_of_waiting();
    told = true;
    turns.wait();
  }
}

}  // namespace tilewise::grading
