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

/// Finds what would mend a submission: it tries changes of one place, one after another, on calls
/// that went wrong. It reports only a change that has been seen to give right results.
namespace tilewise::grading {

/// How far a change mends a submission.
enum class Mended {
  no,
  but_for_other_faults,  ///< faults of memory or speed remain, which were there before
  wholly,
};

/// The verdict of the stage's tests on a submission with a change.
struct Confirmation {
  Mended mended = Mended::no;
  std::vector<std::string> calls = {};  ///< the calls that went wrong
};

struct RepairRequest {
  StageInfo stage;
  std::filesystem::path source_directory;  ///< of the submission, as BuildRequest has it
  std::filesystem::path scratch;           ///< existing folder for all files
  /// Calls of contract functions that went wrong, as messages name them: "matmul_shared(n=37,
  /// tile=16)". Large calls are made smaller; those that cannot be posed as a problem are left out.
  std::vector<std::string> calls;
  /// The most operations, or bytes, of a call at first, since each call runs hundreds of times. The
  /// search raises this limit while none of the smaller calls goes wrong.
  double most_operations = 1e6;
  /// The source that is blamed. If it is none of the stage's sources, or defines no function of
  /// these calls, the search takes the source that defines the function of the smallest call.
  std::string file = {};
  /// The lines of the sources that findings name. A change there is reported rather than an equally
  /// small change elsewhere.
  std::vector<int> lines = {};
  /// The matrix that is read or stored at a wrong place, by its name in the contract; empty: none
  /// is known.
  std::string matrix = {};
  /// The first finding is about barriers: a race, or a barrier that some threads miss.
  bool is_of_barriers = false;
  std::pair<int, int> racing = {0, 0};  ///< the lines of a race, the upper one first
  /// All results are right, but the calls lose time in memory, by bank conflicts or by sectors of
  /// which they use little. A change must leave each call at most half of that waste.
  bool is_of_memory = false;
  /// Variants are compiled with optimisation. Without it the checks miss the store of a structure
  /// that a function returns, such as make_float2().
  bool optimised = false;
  core::GpuProfile gpu;
  std::filesystem::path bubblewrap = {};  ///< the sandbox for the tools and the variants
  double time_limit_s = 60;               ///< after it, nothing more is tried
  /// Runs the stage's tests, those of results among them, on the sources in a folder laid out as
  /// for BuildRequest. It takes seconds, so the search calls it only a few times.
  std::function<Confirmation(const std::filesystem::path& folder)> confirm = {};
};

/// The change, or the path at fault, that was found.
struct Repair {
  /// What to do: "on line 12 write ... in place of ...". For a path, where the fault is:
  /// "where 'k < n' on line 12 does not hold".
  std::string words;
  /// All comes right if one of two paths is never taken. That mends nothing: the fault is in this
  /// path, or in the condition that chooses it.
  bool is_path = false;
  Mended mended = Mended::wholly;
};

/// Finds the smallest change that is confirmed. Changes are first tried on the calls, where most
/// fail in milliseconds. If a change leaves other faults, the search goes on for a while for one
/// that mends all. Among equally near changes, one after which a line of a kernel no longer runs
/// comes last. A change of a condition between two paths is dropped if it is enough that one path
/// is never taken; that path is reported if nothing else is found. Returns nothing if no change is
/// confirmed, if none of the calls goes wrong by itself, or if the variants do not compile.
/// @throws std::runtime_error if the tools themselves are missing or fail, Interrupted.
std::optional<Repair> find_repair(const RepairRequest& request);

}  // namespace tilewise::grading
