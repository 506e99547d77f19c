#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

/// The files that a program in a sandbox sees in addition to the system's programs and libraries
/// (docs/decisions 0019). They have the same paths inside as outside.
struct SandboxView {
  std::vector<std::filesystem::path> readable;    ///< files, and folders with all their contents
  std::filesystem::path writable = {};            ///< a folder; if empty, only /tmp is writable
  std::filesystem::path working_folder = "/tmp";  ///< a folder that the program sees
  std::size_t temporary_bytes = std::size_t{256} << 20;  ///< the size of /tmp, kept in memory
};

/// Confines a program with bubblewrap, in namespaces of its own. The program sees no network, only
/// its own processes and only the files of its view, and it has no terminal. Whatever it starts
/// ends with it.
struct Sandbox {
  std::filesystem::path bubblewrap;  ///< empty: no sandbox
  bool with_devices = false;         ///< also show the GPUs and what their driver needs

  /// The number of processes above the program: bubblewrap outside, and the first process of the
  /// namespace inside.
  static constexpr int processes = 2;

  explicit operator bool() const { return !bubblewrap.empty(); }

  /// The words to put before a program and its arguments.
  std::vector<std::string> command(const SandboxView& view) const;
};

/// The sandbox that this machine offers, or the reason why it offers none.
struct SandboxSearch {
  Sandbox sandbox;
  std::string why_not;  ///< "bubblewrap is not installed"; empty if there is a sandbox
};

/// Looks for bubblewrap and tries it out, because a container may forbid the namespaces that it
/// needs.
SandboxSearch find_sandbox();

/// Whether a path belongs to the system's programs and libraries, which every view holds.
bool is_shown_always(const std::filesystem::path& path);

/// A program and its shared libraries, except those that every view holds anyway: the files that a
/// view has to list for the program to start. The dynamic loader finds the libraries without
/// running any of the program's code.
std::vector<std::filesystem::path> with_libraries(const std::filesystem::path& program);

/// A fresh, private folder for temporary files, removed with all its contents at the end. It is
/// locked while it is in use; the lock ends with this process, however the process ends.
class ScratchDirectory {
 public:
  /// @throws std::system_error naming the folder that cannot be written to.
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Removes this user's scratch directories that killed processes have left behind. What cannot be
/// removed stays.
/// @param settled_s  the age in seconds from which a directory may be removed: by then the process
/// that made it has either locked it or ended
void sweep_scratch_directories(double settled_s = 60);

}  // namespace tilewise::grading
