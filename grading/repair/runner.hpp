#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grading/examiner/process/worker.hpp"
#include "grading/problem/problem.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/repair/blocks.hpp"
#include "grading/repair/repair.hpp"

namespace tilewise::grading {

/// A call with its problem, in which a variant has to come right.
struct Posed {
  NamedCall call;
  std::unique_ptr<Workload> workload;
  std::size_t bytes = 0;
};

/// Prepares a call that messages name. One that takes more operations, or bytes, than `most` is
/// made smaller. Returns nothing if the call cannot be posed as a problem.
std::optional<Posed> posed_call(const StageInfo& stage, const std::string& text, double most);

/// Writes a folder with the stage's sources, one of them changed, and returns its path.
std::filesystem::path folder_with(const RepairRequest& request, const std::string& name,
                                  const std::string& file, const std::string& text);

/// The options of a worker that calls a module under the simulator's checks.
/// @param bytes of memory shared with the worker
WorkerOptions options_for(const std::filesystem::path& module, const RepairRequest& request,
                          std::size_t bytes = 0);

/// The output that a module prints in a call, which runs with the simulator's checks.
std::string output_of(const Posed& posed, const std::filesystem::path& module,
                      const RepairRequest& request);

/// The calls that went wrong, the smallest first.
std::vector<Posed> calls_to_try(const RepairRequest& request);

/// The limits of a call in a variant, from what the call does in the unchanged source.
struct CallLimits {
  double seconds;
  /// Lines that seem to read memory that nothing has stored, in the unchanged source, too, and that
  /// are not at fault: without optimisation the checks miss the store of a structure that a
  /// function returns. Nothing until look_at() has made the call.
  std::optional<std::set<int>> early_reads = std::nullopt;
  bool goes_wrong = false;  ///< in the unchanged source
  double waste = 0;  ///< the unchanged source's waste of memory; 0 unless that is to be mended
};

/// The lines and threads that calls run.
struct WhatRuns {
  /// The lines of kernels, by file, that access memory in the calls that went wrong, in those of
  /// all functions or in those with equal sizes.
  std::set<std::pair<std::string, int>> lines;
  /// The threads of each kernel's largest launch, in the calls that went wrong. A change after
  /// which a call no longer ends with an error launches more kernels, and no larger ones.
  std::map<std::string, double> threads;
};

/// Runs calls of one module in workers, one after another. Each thread needs a Runner of its own,
/// because a worker ends with the thread that started it.
class Runner {
 public:
  /// @param limits one for each call, as find_limits() returns them, or a single one for all calls
  Runner(std::filesystem::path module, const RepairRequest& request,
         std::vector<CallLimits> limits);

  /// Whether all calls give right results in a variant, and no check finds a fault.
  bool all_right(std::int32_t variant);

  /// What all calls enter in the source as it is, those that go wrong first.
  std::vector<Entered> what_is_entered();

  /// Finds out what runs in a variant, whether it is right or wrong.
  WhatRuns what_runs(std::int32_t variant);

  /// Sets the calls' limits from the time that they take in the unchanged source, or that other
  /// calls of the same functions take in proportion to their size.
  /// @param shortest_s  no limit is shorter than this
  /// @param times_as_long  how many times as long as expected a call may take
  /// @return the limits, for other runners
  std::vector<CallLimits> find_limits(double shortest_s, double times_as_long);

 private:
  bool comes_right(std::size_t call, std::int32_t variant);
  bool has_right_values(std::size_t call, const std::vector<Argument>& arguments);
  /// What the simulator checks and counts in a call.
  simt::Watch watch_of(std::size_t call) const;
  /// Makes a call in the unchanged source and sets its limits, except for the time.
  /// @return whether the call returns
  bool look_at(std::size_t call);
  CallReply make(const Posed& posed, double limit_s, std::int32_t variant, const simt::Watch& watch,
                 std::vector<Argument>& arguments);
  const Posed& posed(std::size_t call) const;
  /// The sum of a call's operations and bytes.
  double size(std::size_t call) const;
  void start();

  std::filesystem::path module_;
  const RepairRequest& request_;
  std::vector<Posed> calls_;         ///< the calls that went wrong
  std::vector<Posed> calls_of_all_;  ///< calls of all functions; the contract may refuse some
  std::vector<Posed> calls_beside_;  ///< calls with equal sizes, which the source may get right
  std::vector<CallLimits> limits_;
  /// The order of the calls. Those that go wrong in the unchanged source come first, the smallest
  /// before the others, because most variants fail on them.
  std::vector<std::size_t> order_;
  std::optional<Worker> worker_;
};

}  // namespace tilewise::grading
