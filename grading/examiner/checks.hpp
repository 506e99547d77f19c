#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/process/scratch_directory.hpp"
#include "grading/course/contract.hpp"
#include "grading/examiner/options.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {

/// One way to look for faults in kernels.
struct CheckPass {
  std::string circumstances;  ///< for messages: ", threads in reverse order"; may be empty
  simt::Watch watch;          ///< of the simulator
  std::string tool;           ///< of compute-sanitizer, on a GPU
};

/// The ways that the backend has: on the simulator the checked build, with its threads in several
/// orders, on a GPU the tools of compute-sanitizer. None where that is not installed.
std::vector<CheckPass> check_passes(const ExaminerOptions& options, Random& random);

/// Calls that are looked at in one of these ways, in a worker of their own.
class CheckedCalls {
 public:
  CheckedCalls(const ExaminerOptions& options, const CheckPass& pass);

  /// Why nothing can be looked at in this way here, as on a GPU that compute-sanitizer does not
  /// know; empty if it can.
  std::string obstacle();

  /// Makes a call that should be successful.
  /// @param reply receives what came of it
  /// @return what is wrong with it; nothing if all is well
  std::optional<Verdict> make(const Call& call, CallReply& reply);

  /// To be called after the last call: compute-sanitizer may tell of a fault only now.
  std::optional<Verdict> finish();

 private:
  std::filesystem::path log() const { return scratch_.path() / "log"; }

  CheckPass pass_;
  ScratchDirectory scratch_;
  Worker worker_;
  std::string last_call_;
};

}  // namespace tilewise::grading
