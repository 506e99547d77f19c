#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

/// What a program in a sandbox sees beside the system's programs and libraries (docs/decisions
/// 0019). Everything lies where it lies outside.
struct SandboxView {
  std::vector<std::filesystem::path> readable;           ///< files, and folders with all they hold
  std::filesystem::path writable = {};                   ///< a folder; empty: none but /tmp
  std::filesystem::path working_folder = "/tmp";         ///< one that it sees
  std::size_t temporary_bytes = std::size_t{256} << 20;  ///< that fit into /tmp, kept in memory
};

/// A way to run a program that it cannot leave: bubblewrap, with namespaces of its own. The program
/// sees no network, no process but its own and no file but those of its view, and has no terminal.
/// What it starts ends with it.
struct Sandbox {
  std::filesystem::path bubblewrap;  ///< empty: no sandbox
  bool with_devices = false;         ///< GPUs, and what their driver needs

  /// Processes above the program: bubblewrap outside, and inside the first of its namespace.
  static constexpr int processes = 2;

  explicit operator bool() const { return !bubblewrap.empty(); }

  /// What goes before a program and its arguments.
  std::vector<std::string> command(const SandboxView& view) const;
};

/// What this machine has for a sandbox.
struct SandboxSearch {
  Sandbox sandbox;
  std::string why_not;  ///< "bubblewrap is not installed"; empty where there is one
};

/// Looks for bubblewrap, and tries it: a container may forbid the namespaces that it needs.
SandboxSearch find_sandbox();

/// Whether a path belongs to the system's programs and libraries, which every view holds.
bool is_shown_always(const std::filesystem::path& path);

/// A program and the libraries that it is linked with, wherever they lie: what a view has to hold
/// for the program to start. Asks the dynamic loader, which runs nothing of the program's.
std::vector<std::filesystem::path> with_libraries(const std::filesystem::path& program);

/// A fresh, private folder for temporary files, removed with all it holds at the end. As long as it
/// is in use it is locked, which ends with this process however that ends.
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

/// Removes the scratch directories of this user that processes which were killed have left behind.
/// What cannot be removed stays.
/// @param settled_s  so long ago it was made: then its maker has locked it, or is no more
void sweep_scratch_directories(double settled_s = 60);

}  // namespace tilewise::grading
