#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"

namespace tilewise::grading {

/// What a cluster takes.
struct SlurmLimits {
  int array_tasks = 3;  ///< indices of an array: MaxArraySize
  int jobs = 10'000;    ///< at a time, ended ones among them for a while: MaxJobCount
};

/// A real Slurm for tests, on this machine alone: munge, controller and node of its own, beside any
/// other. All of it ends with this object, or with this process, however that ends. It runs two
/// tasks at a time, and has one GPU to give, which is none.
class SlurmCluster {
 public:
  /// Takes seconds.
  explicit SlurmCluster(SlurmLimits limits = {});

  /// Why there is none; empty where there is.
  const std::string& why_not() const { return why_not_; }

  /// With what Slurm's commands need to find it. Ends with this process, too.
  Command command(const std::vector<std::string>& arguments) const;

  /// What one of them prints.
  std::string output_of(const std::vector<std::string>& arguments) const;

  /// Kills all that runs on the node, the daemon too, as a failure of power does.
  void kill_node();
  /// Starts it again.
  void start_node() const;

 private:
  bool has_idle_node() const;

  ScratchDirectory scratch_;
  std::optional<RunningCommand> daemons_;
  std::string why_not_;
};

}  // namespace tilewise::grading
