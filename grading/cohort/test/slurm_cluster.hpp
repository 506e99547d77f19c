#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"

namespace tilewise::grading {

/// The limits of what a cluster takes.
struct SlurmLimits {
  int array_tasks = 3;  ///< indices of an array: MaxArraySize
  int jobs = 10'000;    ///< at a time, including ended ones for a while: MaxJobCount
};

/// A real Slurm for tests, on this machine alone. It has its own munge, controller and node, beside
/// any other. All of it ends with this object, or with this process, however that ends. It runs two
/// tasks at a time, and offers one GPU that does not exist.
class SlurmCluster {
 public:
  /// Starts the cluster, which takes seconds.
  explicit SlurmCluster(SlurmLimits limits = {});

  /// Returns why there is no cluster; empty if there is one.
  const std::string& why_not() const { return why_not_; }

  /// Returns a command with what Slurm's commands need to find the cluster. It ends with this
  /// process, too.
  Command command(const std::vector<std::string>& arguments) const;

  /// Returns what such a command prints.
  std::string output_of(const std::vector<std::string>& arguments) const;

  /// Kills everything that runs on the node, including the daemon, as a power failure does.
  void kill_node();
  /// Starts the node again.
  void start_node() const;

 private:
  bool has_idle_node() const;

  ScratchDirectory scratch_;
  std::optional<RunningCommand> daemons_;
  std::string why_not_;
};

}  // namespace tilewise::grading
