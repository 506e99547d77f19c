#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::grading {

struct CheckOptions;

/// The result of running a program, as reported by the library linked into it
/// (common/simt/program).
struct CheckReport {
  struct Found {
    core::Finding finding;
    int times = 1;  ///< how often it occurred
  };
  /// Launches of a kernel from one place with one configuration.
  struct Launched {
    simt::LaunchRecord launch;
    std::size_t times = 1;
  };
  std::vector<Found> findings;
  std::vector<Launched> launches;
  /// The profiles of the first distinct launches, at most a screenful or two.
  std::vector<simt::KernelProfile> profiles;
  int exit_status = 0;  ///< the program's, or 128 plus the signal that ended it
  bool timed_out = false;

  std::size_t launch_count() const;
};

/// Reads the events that a program wrote, one JSON document per line, up to the point where it
/// ended.
CheckReport read_check_events(const std::filesystem::path& file);

/// Returns the report in the schema tilewise/check/v1.
std::string check_json(const CheckReport& report, const CheckOptions& options);

/// Returns the options of `lab check` itself, as they are written on the command line.
std::span<const std::string_view> own_options_of_check();

}  // namespace tilewise::grading
