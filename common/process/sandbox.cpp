#include "common/process/sandbox.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/process/command.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

/// The most processes and threads that may run in a sandbox at a time. The simulator has at most 16
/// threads, the CUDA driver a few for each GPU.
constexpr const char* most_processes = "256";

/// The size of /dev/shm, which is kept in memory, as /tmp is.
constexpr std::size_t shared_memory_bytes = std::size_t{64} << 20;

/// Programs and libraries, and the files through which the dynamic loader and links such as
/// /usr/bin/c++ find them. A program in the sandbox may not see the rest of /etc.
constexpr const char* system_paths[] = {"/usr",
                                        "/bin",
                                        "/sbin",
                                        "/lib",
                                        "/lib32",
                                        "/lib64",
                                        "/libx32",
                                        "/etc/ld.so.cache",
                                        "/etc/ld.so.conf",
                                        "/etc/ld.so.conf.d",
                                        "/etc/alternatives"};

void append(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

void show(Words& words, const fs::path& path) {
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) {
    append(words, {"--symlink", fs::read_symlink(path), path});
  } else if (fs::exists(path, ignored)) {
    append(words, {"--ro-bind", path, path});
  }
}

void show_system(Words& words) {
  for (const char* path : system_paths) show(words, path);
  // Container images keep the course in /usr/src; hide it.
  if (const fs::path course = core::project_root(); core::lies_in(course, "/usr")) {
    append(words, {"--tmpfs", course, "--remount-ro", course});
  }
}

/// Whether a device node belongs to a GPU: to one of NVIDIA's cards, to one of its boards with a
/// GPU on the chip, or to a GPU under WSL.
bool is_gpu(const std::string& name) {
  return std::ranges::any_of(Words{"nvidia", "nvhost", "nvmap", "nvgpu", "dxg"},
                             [&](const std::string& begin) { return name.starts_with(begin); });
}

void show_gpus(Words& words) {
  std::error_code ignored;
  for (const auto& device : fs::directory_iterator("/dev", ignored)) {
    if (is_gpu(device.path().filename())) {
      append(words, {"--dev-bind", device.path(), device.path()});
    }
  }
  append(words, {"--ro-bind", "/sys", "/sys"});
}

}  // namespace

Words Sandbox::command(const SandboxView& view) const {
  const std::string temporary = std::to_string(view.temporary_bytes);
  Words words = {bubblewrap,      "--unshare-all", "--die-with-parent",
                 "--new-session", "--cap-drop",    "ALL",
                 "--setenv",      "HOME",          "/tmp"};
  show_system(words);
  append(words, {"--proc", "/proc", "--dev", "/dev"});
  if (with_devices) show_gpus(words);
  append(words, {"--size", std::to_string(shared_memory_bytes), "--tmpfs", "/dev/shm"});
  append(words, {"--size", temporary, "--tmpfs", "/tmp"});
  for (const fs::path& path : view.readable) append(words, {"--ro-bind", path, path});
  if (!view.writable.empty()) append(words, {"--bind", view.writable, view.writable});
  // /dev and / are in memory and have no size limit of their own.
  append(words, {"--remount-ro", "/dev", "--remount-ro", "/"});
  // The limit is set inside, so that it counts only the processes of the sandbox. It does not bind
  // root.
  append(words, {"--chdir", view.working_folder, "--", "prlimit",
                 std::string("--nproc=") + most_processes, "--"});
  return words;
}

SandboxSearch find_sandbox() {
  const auto bubblewrap = find_on_path("bwrap");
  if (!bubblewrap) return {{}, tr("bubblewrap is not installed")};
  if (!find_on_path("prlimit")) return {{}, tr("prlimit is not installed")};
  const Sandbox sandbox{*bubblewrap};
  Command command;
  command.arguments = sandbox.command({});
  command.arguments.push_back("true");
  const CommandResult trial = run_command(std::move(command));
  if (trial.succeeded()) return {sandbox, ""};
  return {{},
          tr("bubblewrap does not work here: {}", trial.output.substr(0, trial.output.find('\n')))};
}

bool is_shown_always(const fs::path& path) {
  return std::ranges::any_of(system_paths,
                             [&](const char* shown) { return core::lies_in(path, shown); });
}

std::vector<fs::path> with_libraries(const fs::path& program) {
  std::vector<fs::path> files = {program.lexically_normal()};
  Command command;
  command.arguments = {program};
  command.environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}};
  std::istringstream lines(run_command(std::move(command)).output);
  for (std::string line; std::getline(lines, line);) {
    // "libtilewise_simt.so => /course/build/bin/../lib/libtilewise_simt.so (0x00007f...)"
    const std::size_t begin = line.find("=> /"), end = line.rfind(" (");
    if (begin == line.npos || end == line.npos || end < begin) continue;
    const fs::path library = fs::path(line.substr(begin + 3, end - begin - 3)).lexically_normal();
    if (!is_shown_always(library)) files.push_back(library);
  }
  return files;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* prefix = "tilewise-run-";

/// Locks a folder unless another process has locked it. A child inherits the lock only until it
/// executes another program.
/// @return a descriptor that holds the lock; -1 if the folder cannot be locked
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
