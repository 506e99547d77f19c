#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/course/stages.hpp"

/// What would mend a submission: changes of one place are tried, one after another, on calls that
/// went wrong. Whatever is told has been seen to come right.
namespace tilewise::grading {

/// What has become of a submission with a change.
enum class Mended {
  no,
  but_for_other_faults,  ///< of memory or speed, which were there before
  wholly,
};

/// What the stage's tests say of a submission with a change.
struct Confirmation {
  Mended mended = Mended::no;
  std::vector<std::string> calls = {};  ///< that went wrong
};

struct RepairRequest {
  StageInfo stage;
  std::filesystem::path source_directory;  ///< of the submission, as BuildRequest has it
  std::filesystem::path scratch;           ///< existing folder for all files
  /// Calls of contract functions that went wrong, as messages name them: "matmul_shared(n=37,
  /// tile=16)". Those that are large are made smaller; those that cannot be posed as a
  /// problem are left out.
  std::vector<std::string> calls;
  /// Operations, or bytes, of a call to begin with, which runs hundreds of times. Where none of the
  /// calls that were made smaller goes wrong there are more.
  double most_operations = 1e6;
  /// The source that is blamed; where it is none of the stage's, or none of these calls is of a
  /// function in it, the one with the function that has the smallest of them.
  std::string file = {};
  /// Lines of the sources that findings name: what changes there is told before what is as small a
  /// change elsewhere.
  std::vector<int> lines = {};
  /// The matrix that is read or stored at a wrong place, as the contract calls it; empty: none is
  /// known.
  std::string matrix = {};
  /// What is told first is of barriers: a race, a barrier that some threads miss.
  bool is_of_barriers = false;
  std::pair<int, int> racing = {0, 0};  ///< lines of a race, the upper one first
  /// All results are right; the calls lose time in memory: by bank conflicts, or sectors of which
  /// they use little. A change has to leave each at most half of that.
  bool is_of_memory = false;
  /// What is tried is compiled with optimising, without which nobody sees the store of a structure
  /// that a function returns, as of make_float2().
  bool optimised = false;
  core::GpuProfile gpu;
  std::filesystem::path bubblewrap = {};  ///< to run the tools and the variants in
  double time_limit_s = 60;               ///< no more is tried when it is over
  /// How far sources in a folder, as BuildRequest has them, pass the stage's tests, of which
  /// results are a part; asked of few.
  std::function<Confirmation(const std::filesystem::path& folder)> confirm = {};
};

/// What was found.
struct Repair {
  /// What to do: "on line 12 write ... in place of ...". Of a path where the fault is: "where 'k <
  /// n' on line 12 does not hold".
  std::string words;
  /// Without one of two paths all comes right, which mends nothing: the fault is there, or in what
  /// chooses between them.
  bool is_path = false;
  Mended mended = Mended::wholly;
};

/// The smallest change found that is confirmed, for a while one that mends all. Those are tried
/// first on the calls, on which most fail in milliseconds. Of those that are as near, one that
/// makes a line of a kernel no longer run comes last. A condition between two paths is changed by
/// none that a path left out would do as well; that one is told where nothing else is found.
/// Nothing where there is none, where none of the calls goes wrong by itself, or where the variants
/// do not compile.
/// @throws std::runtime_error if the tools themselves are missing or fail, Interrupted.
std::optional<Repair> find_repair(const RepairRequest& request);

}  // namespace tilewise::grading
