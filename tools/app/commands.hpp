/// \file
/// The commands of `lab`. They are listed in command_list.cpp and nowhere else, and belong to
/// several programs, so that whoever grades a stage need not build what a class is graded with:
/// `tilewise` has those of a learner (learn.cpp, grade.cpp, setup.cpp), and for any other starts
/// the program that has it (measure.cpp, check.cpp, cohort.cpp). Each knows all commands by name
/// and description.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewise::grading {

/// A command as help tells of it, in English.
struct ListedCommand {
  const char* name;
  const char* program;
  const char* about;
  const char* example = "";  ///< "./lab grade 3", if any
};

/// In the order in which help lists them.
std::span<const ListedCommand> listed_commands();

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

/// Drawn anew each time, so that no kernel can be written for the inputs it will get.
std::uint64_t random_seed();

/// A command of the program at hand.
struct OwnCommand {
  const char* name;
  /// Gives it its options. Once the command line was parsed and named it, it runs, and leaves its
  /// exit status.
  void (*add)(CLI::App* command, ExitStatus& status);
  /// The words behind `lab` as CLI11 is to get them, where it cannot take them as they are.
  std::vector<std::string> (*arrange)(const CLI::App* command,
                                      std::vector<std::string> words) = nullptr;
};

/// Each program defines what it has.
std::span<const OwnCommand> own_commands();

// Of `tilewise`, whose commands are in several files.
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
