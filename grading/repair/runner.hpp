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
#include "grading/repair/repair.hpp"

namespace tilewise::grading {

/// Call and problem, posed: what a variant has to come right in.
struct Posed {
  NamedCall call;
  std::unique_ptr<Workload> workload;
  std::size_t bytes = 0;
};

/// A call as messages name it, ready to be made; one that takes more operations, or bytes, is made
/// smaller. Nothing where it cannot be posed as a problem.
std::optional<Posed> posed_call(const StageInfo& stage, const std::string& text, double most);

/// A folder of the stage's sources, one of them changed.
std::filesystem::path folder_with(const RepairRequest& request, const std::string& name,
                                  const std::string& file, const std::string& text);

/// What a module prints in a call, under the checks.
std::string output_of(const Posed& posed, const std::filesystem::path& module,
                      const RepairRequest& request);

/// The calls that went wrong, the smallest first.
std::vector<Posed> calls_to_try(const RepairRequest& request);

/// What a call may take in a variant, and which findings tell nothing of it.
struct CallLimits {
  double seconds;
  /// Lines that read what nobody has stored in the source as it is, too, though that is not what is
  /// wrong: without optimising, nobody sees the store of a structure that a function returns.
  /// Nothing where nobody has looked yet.
  std::optional<std::set<int>> early_reads = std::nullopt;
  bool goes_wrong = false;  ///< as the source is
  double waste = 0;         ///< of memory, as the source is; measured where that is to be mended
};

/// What calls bring to run.
struct WhatRuns {
  /// The lines of kernels, by file, that reach memory in some of all calls, or in one with equal
  /// sizes.
  std::set<std::pair<std::string, int>> lines;
  std::map<std::string, double> threads;  ///< of each kernel, by the calls that went wrong
};

/// Runs calls of one module in workers, one after another. Threads have one each, which ends with
/// the thread that has started it.
class Runner {
 public:
  /// @param limits of each call, as find_limits() gives them; one: of all
  Runner(std::filesystem::path module, const RepairRequest& request,
         std::vector<CallLimits> limits);

  /// Whether all calls come right in a variant, and no check finds a fault.
  bool all_right(std::int32_t variant);

  /// What runs in a variant, right or wrong.
  WhatRuns what_runs(std::int32_t variant);

  /// Has calls end by limits that follow from what they, or others of these functions by their
  /// size, take as the source is, and gives them for other runners.
  /// @param shortest_s, times_as_long  at least
  std::vector<CallLimits> find_limits(double shortest_s, double times_as_long);

 private:
  bool comes_right(std::size_t call, std::int32_t variant);
  bool has_right_values(std::size_t call, const std::vector<Argument>& arguments);
  /// What is looked at in a call.
  simt::Watch watch_of(std::size_t call) const;
  /// Learns what a call shows as the source is.
  /// @return whether it comes to its end
  bool look_at(std::size_t call);
  CallReply make(const Posed& posed, double limit_s, std::int32_t variant, const simt::Watch& watch,
                 std::vector<Argument>& arguments);
  const Posed& posed(std::size_t call) const;
  /// Operations and bytes.
  double size(std::size_t call) const;
  void start();

  std::filesystem::path module_;
  const RepairRequest& request_;
  std::vector<Posed> calls_;         ///< that went wrong
  std::vector<Posed> calls_of_all_;  ///< some of which the contract may not allow
  std::vector<Posed> calls_beside_;  ///< with equal sizes, that may be right as the source is
  std::vector<CallLimits> limits_;
  /// Of the calls: first what goes wrong as the source is, the smallest of it first, on which most
  /// variants fail.
  std::vector<std::size_t> order_;
  std::optional<Worker> worker_;
};

}  // namespace tilewise::grading
