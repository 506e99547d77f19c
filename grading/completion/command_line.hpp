#pragma once

#include <CLI/App.hpp>
#include <map>
#include <string>
#include <vector>

namespace tilewise::grading {

/// What can be typed in a place of the command line.
struct Completions {
  enum class Kind {
    nothing,  ///< that anybody could guess: a number
    words,
    files,
    folders,
    calls,  ///< of the stage that the line names; of all where it names none
  };
  Kind kind = Kind::nothing;
  std::vector<std::string> words = {};
  char separator = '\0';  ///< between several of the words, if any
};

struct CompletedOption {
  std::vector<std::string> names;  ///< "--gpu"; "-h", "--help"
  std::string description;
  bool takes_value = false;
  std::string value_name;  ///< "PROFILE"
  Completions values;
};

struct CompletedCommand {
  std::vector<std::string> names;  ///< "grade"; "cohort", "grade"
  std::string description;
  std::vector<CompletedOption> options = {};
  std::vector<CompletedCommand> subcommands = {};
  std::string argument_name = {};  ///< "STAGE"; empty where it takes options alone
  Completions arguments = {};
};

/// The names that a command line may hold beside those of commands and options.
struct Vocabulary {
  std::vector<std::string> gpus;
  std::vector<std::string> stages;  ///< ids, in order
  /// The calls of each stage as far as they can be completed, "matmul_shared(n=", by id.
  std::map<std::string, std::vector<std::string>> calls;
};

/// What the course has.
Vocabulary course_vocabulary();

/// The commands of `lab` with all they take, read off the parser, so that no shell offers what it
/// does not know or misses what it does. What a value can be follows from how the help text calls
/// it: STAGE, PROFILE, CALL, FILE, DIR, SUBMISSIONS, or from the words that it is checked against.
std::vector<CompletedCommand> completed_commands(const CLI::App& app, const Vocabulary& names);

}  // namespace tilewise::grading
