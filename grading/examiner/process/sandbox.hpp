#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

/// A way to run a program that it cannot leave: bubblewrap, with namespaces of its own. It sees no
/// network and no process but its own, may read what the user may, and may write to an empty /tmp
/// only. What it starts ends with it.
struct Sandbox {
  std::filesystem::path bubblewrap;  ///< empty: no sandbox
  bool with_devices = false;         ///< the machine's, which a GPU's driver needs

  /// Processes above the program: bubblewrap outside, and inside the first of its namespace.
  static constexpr int processes = 2;

  explicit operator bool() const { return !bubblewrap.empty(); }

  /// What goes before a program and its arguments. `readable`: files that it needs even where they
  /// lie in /tmp.
  std::vector<std::string> command(const std::vector<std::filesystem::path>& readable) const;
};

/// What this machine has for a sandbox.
struct SandboxSearch {
  Sandbox sandbox;
  std::string why_not;  ///< "bubblewrap is not installed"; empty where there is one
};

/// Looks for bubblewrap, and tries it: a container may forbid the namespaces that it needs.
SandboxSearch find_sandbox();

}  // namespace tilewise::grading
