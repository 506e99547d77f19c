#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
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

/// The calls that went wrong, the smallest first.
std::vector<Posed> calls_to_try(const RepairRequest& request);

/// Runs calls of one module in workers, one after another. Threads have one each, which ends with
/// the thread that has started it.
class Runner {
 public:
  /// @param endless_s what a call may take
  Runner(std::filesystem::path module, const RepairRequest& request, double endless_s);

  /// Whether all calls come right in a variant, and no check finds a fault.
  bool all_right(std::int32_t variant);

  /// Seconds that the longest of the calls takes as the source is, of those that return.
  double longest_s();

 private:
  /// Of a call that the contract may not allow: nobody knows which those are.
  enum class Refusal { is_wrong, is_right };

  bool comes_right(const Posed& posed, std::int32_t variant, Refusal refusal = Refusal::is_wrong);
  void start();

  std::filesystem::path module_;
  const RepairRequest& request_;
  std::vector<Posed> calls_, calls_of_all_;
  double endless_s_;
  std::optional<Worker> worker_;
};

}  // namespace tilewise::grading
