#include "common/process/scratch_directory.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

constexpr const char* prefix = "tilewise-run-";

/// Locks a folder unless another process has it. A child inherits the lock only until it becomes
/// another program.
/// @return a descriptor that holds the lock; -1 where there is none to get
int try_lock(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return -1;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  ::close(file);
  return -1;
}

bool is_ours_and_settled(int folder, double settled_s) {
  struct stat status {};
  if (::fstat(folder, &status) != 0 || status.st_uid != ::geteuid()) return false;
  const auto changed = std::chrono::system_clock::from_time_t(status.st_ctime);
  return std::chrono::system_clock::now() - changed >= std::chrono::duration<double>(settled_s);
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string name = (fs::temp_directory_path() / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot create the folder " + name);
  }
  path_ = name;
  lock_ = try_lock(path_);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;  // a file left behind in a temporary folder is no reason to fail
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void sweep_scratch_directories(double settled_s) {
  std::error_code error;
  fs::directory_iterator item(fs::temp_directory_path(error), error), end;
  for (; !error && item != end; item.increment(error)) {
    if (!item->path().filename().string().starts_with(prefix)) continue;
    const int lock = try_lock(item->path());
    if (lock < 0) continue;
    std::error_code ignored;
    if (is_ours_and_settled(lock, settled_s)) fs::remove_all(item->path(), ignored);
    ::close(lock);
  }
}

}  // namespace tilewise::grading
