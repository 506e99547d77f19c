#include "grading/watch/file_watcher.hpp"

#include <sys/stat.h>

#include <utility>

namespace tilewise::grading {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileWatcher::FileWatcher(std::vector<std::filesystem::path> files) : files_(std::move(files)) {
  has_changed();
}

FileWatcher::Stamp FileWatcher::stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
#ifdef __APPLE__
  const timespec modified = status.st_mtimespec, changed = status.st_ctimespec;
#else
  const timespec modified = status.st_mtim, changed = status.st_ctim;
#endif
  return {true, nanoseconds(modified), nanoseconds(changed), status.st_size, status.st_ino};
}

bool FileWatcher::has_changed() {
  std::vector<Stamp> now;
  for (const auto& file : files_) now.push_back(stamp_of(file));
  const bool changed = now != stamps_;
  stamps_ = std::move(now);
  return changed;
}

}  // namespace tilewise::grading
