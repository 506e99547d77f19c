/// \file
/// The commands of `lab`. They are listed only in command_list.cpp, and belong to several programs,
/// so that those who grade a stage need not build the programs for a class. `tilewise` has the
/// commands of a learner (learn.cpp, grade.cpp, setup.cpp), and for any other command it starts the
/// program that has it (measure.cpp, check.cpp, cohort.cpp). Each program knows all commands by
/// name and description.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewise::grading {

/// A command as help describes it, in English.
struct ListedCommand {
  const char* name;
  const char* program;
  const char* about;
  const char* example = "";  ///< "./lab grade 3", if any
};

/// All commands, in the order in which help lists them.
std::span<const ListedCommand> listed_commands();

/// The text of `lab help`: every command that `app` knows, with its example.
std::string help_text(const CLI::App& app);

/// The completions that a shell may offer for the last of `typed`, the words after `lab`: one line
/// with the kind (words, calls, files, folders), then one line for each candidate, with its
/// description after a tab.
std::string completions(const CLI::App& app, const std::vector<std::string>& typed);

/// The exit status of `lab`.
enum class ExitStatus {
  passed = 0,
  failed = 1,           ///< a test failed, or there is no figure because of the submission
  could_not_grade = 2,  ///< could not grade, profile or work out what was asked
  some_not_graded = 3,  ///< the class was graded, except for students whose submissions cannot be
};

/// The exit status for a run in which all tests passed, or not.
inline ExitStatus exit_status(bool passed) {
  return passed ? ExitStatus::passed : ExitStatus::failed;
}

/// A new random seed for each run, so that no kernel can be written for the inputs that it will
/// get.
std::uint64_t random_seed();

/// A command that this program implements itself.
struct OwnCommand {
  const char* name;
  /// Adds the command's options and its action. If the parsed command line names the command, it
  /// runs and stores its exit status in `status`.
  void (*add)(CLI::App* command, ExitStatus& status);
  /// Rearranges the words after `lab` for CLI11; nullptr if it can parse them as they are.
  std::vector<std::string> (*arrange)(const CLI::App* command,
                                      std::vector<std::string> words) = nullptr;
};

/// Each program defines this list of its own commands.
std::span<const OwnCommand> own_commands();

// The commands of `tilewise`, which are defined in several files.
void add_completion(CLI::App* command, ExitStatus& status);
void add_doctor(CLI::App* command, ExitStatus& status);
void add_grade(CLI::App* command, ExitStatus& status);
void add_help(CLI::App* command, ExitStatus& status);
void add_hint(CLI::App* command, ExitStatus& status);
void add_list(CLI::App* command, ExitStatus& status);
void add_mend(CLI::App* command, ExitStatus& status);
void add_next(CLI::App* command, ExitStatus& status);
void add_reset(CLI::App* command, ExitStatus& status);
void add_skeletons(CLI::App* command, ExitStatus& status);
void add_status(CLI::App* command, ExitStatus& status);
void add_watch(CLI::App* command, ExitStatus& status);
void add_worklog(CLI::App* command, ExitStatus& status);

}  // namespace tilewise::grading
