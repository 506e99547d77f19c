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

/// What came of running a program, as the library in it has told (common/simt/program).
struct CheckReport {
  struct Found {
    core::Finding finding;
    int times = 1;  ///< that it came
  };
  /// Launches of a kernel from one place with one configuration.
  struct Launched {
    simt::LaunchRecord launch;
    std::size_t times = 1;
  };
  std::vector<Found> findings;
  std::vector<Launched> launches;
  /// Of the first launches that differ, no more than a screenful or two.
  std::vector<simt::KernelProfile> profiles;
  int exit_status = 0;  ///< the program's, or 128 and the signal that ended it
  bool timed_out = false;

  std::size_t launch_count() const;
};

/// Reads what a program wrote, a JSON document a line, up to where it ended.
CheckReport read_check_events(const std::filesystem::path& file);

/// The report in the schema tilewise/check/v1.
std::string check_json(const CheckReport& report, const CheckOptions& options);

/// The options of `lab check` itself, as they are written.
std::span<const std::string_view> own_options_of_check();

}  // namespace tilewise::grading
