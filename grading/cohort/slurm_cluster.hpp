#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "grading/builder/command.hpp"
#include "grading/builder/scratch_directory.hpp"

namespace tilewise::grading {

/// A real Slurm for tests, on this machine alone: munge, controller and node of its own, beside any
/// other. All of it ends with this object, or with this process, however that ends. It takes arrays
/// of three tasks at most, runs two at a time, and has one GPU to give, which is none.
class SlurmCluster {
 public:
  /// Takes seconds.
  SlurmCluster();

  /// Why there is none; empty where there is.
  const std::string& why_not() const { return why_not_; }

  /// With what Slurm's commands need to find it.
  Command command(std::vector<std::string> arguments) const;

  /// What one of them prints.
  std::string output_of(std::vector<std::string> arguments) const;

 private:
  bool has_idle_node() const;

  ScratchDirectory scratch_;
  std::optional<RunningCommand> daemons_;
  std::string why_not_;
};

}  // namespace tilewise::grading
