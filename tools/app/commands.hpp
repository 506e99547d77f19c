/// \file
/// The commands of `lab`, listed here and nowhere else: those of a learner in learn.cpp, those that
/// judge submissions in grade.cpp, that for
/// any CUDA program in check.cpp, those that look at single calls and at speed in measure.cpp, and
/// the rest in setup.cpp. One adds itself to the command line; once it was parsed and named this
/// command, it runs, and leaves its exit status.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise::grading {

/// What `lab help` says: every command that `app` knows, with its example.
std::string help_text(const CLI::App& app);

/// What a shell may offer for the last of `typed`, the words behind `lab`: a line with the kind
/// (words, calls, files, folders), then a candidate a line, its description behind a tab.
std::string completions(const CLI::App& app, const std::vector<std::string>& typed);

/// What `lab` exits with.
enum class ExitStatus {
  passed = 0,
  failed = 1,           ///< a test failed, or the submission is to blame that there is no figure
  could_not_grade = 2,  ///< nor profile, nor work out what was asked
  some_not_graded = 3,  ///< the class was graded, but for students who handed in what cannot be
};

/// All passed, or not.
inline ExitStatus exit_status(bool passed) {
  return passed ? ExitStatus::passed : ExitStatus::failed;
}

/// The words behind `lab`, those of `lab check` so that CLI11 takes its own options and leaves the
/// compiler's and the program's alone, in one list behind a --.
std::vector<std::string> with_program_apart(const CLI::App& app, std::vector<std::string> words);

/// Drawn anew each time, so that no kernel can be written for the inputs it will get.
std::uint64_t random_seed();

void add_autograder(CLI::App& app, ExitStatus& status);
void add_bench(CLI::App& app, ExitStatus& status);
void add_check(CLI::App& app, ExitStatus& status);
void add_cohort(CLI::App& app, ExitStatus& status);
void add_completion(CLI::App& app, ExitStatus& status);
void add_coverage(CLI::App& app, ExitStatus& status);
void add_debug(CLI::App& app, ExitStatus& status);
void add_doctor(CLI::App& app, ExitStatus& status);
void add_grade(CLI::App& app, ExitStatus& status);
void add_help(CLI::App& app, ExitStatus& status);
void add_hint(CLI::App& app, ExitStatus& status);
void add_list(CLI::App& app, ExitStatus& status);
void add_mend(CLI::App& app, ExitStatus& status);
void add_next(CLI::App& app, ExitStatus& status);
void add_occupancy(CLI::App& app, ExitStatus& status);
void add_pack(CLI::App& app, ExitStatus& status);
void add_predict(CLI::App& app, ExitStatus& status);
void add_profile(CLI::App& app, ExitStatus& status);
void add_ptx(CLI::App& app, ExitStatus& status);
void add_report(CLI::App& app, ExitStatus& status);
void add_reset(CLI::App& app, ExitStatus& status);
void add_skeletons(CLI::App& app, ExitStatus& status);
void add_status(CLI::App& app, ExitStatus& status);
void add_watch(CLI::App& app, ExitStatus& status);
void add_trace(CLI::App& app, ExitStatus& status);
void add_worklog(CLI::App& app, ExitStatus& status);

}  // namespace tilewise::grading
