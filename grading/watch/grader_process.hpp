#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/process/command.hpp"
#include "common/process/scratch_directory.hpp"
#include "grading/report/result.hpp"

namespace tilewise::grading {

/// What a grading came to.
struct GradingOutcome {
  std::optional<GradeResult> result;  ///< nothing where there is none; no secret of hidden tests
  std::string problem;                ///< why there is none
};

/// `lab grade STAGE`, running beside this process. Ends with this object, and so does all that it
/// has started.
class GraderProcess {
 public:
  /// @throws std::system_error if the system is out of processes
  explicit GraderProcess(const std::string& stage);
  ~GraderProcess();
  GraderProcess(const GraderProcess&) = delete;
  GraderProcess& operator=(const GraderProcess&) = delete;

  /// @throws Interrupted
  bool is_over() { return command_.is_over(); }

  /// Once it is over.
  GradingOutcome outcome();

 private:
  std::filesystem::path result_file() const { return scratch_.path() / "result.json"; }

  ScratchDirectory scratch_;
  RunningCommand command_;
};

}  // namespace tilewise::grading
