#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"

// These tests check the texts of `lab help` and `lab COMMAND --help`, in English and in Spanish.
namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Words = std::vector<std::string>;

std::string run(Words arguments, const std::string& language) {
  Command command;
  command.arguments = std::move(arguments);
  command.environment = {{"TILEWISE_LANGUAGE", language}};
  command.time_limit_s = 60;
  const CommandResult result = run_command(std::move(command));
  EXPECT_TRUE(result.succeeded()) << describe_ending(result) << "\n" << result.output;
  return result.output;
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The commands in a list such as "  grade      Compile, ...".
Words commands_in(const std::string& help) {
  Words names;
  for (const std::string& line : lines_of(help)) {
    if (line.size() < 3 || !line.starts_with("  ") || line[2] == ' ' || line[2] == '-') continue;
    names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

/// The words of `lab COMMAND --help` for all commands and for all subcommands of `lab cohort`.
std::vector<Words> all_helps() {
  std::vector<Words> helps = {{"--help"}, {"help"}};
  for (const std::string& name : commands_in(run({tool("tilewise"), "help"}, "en"))) {
    helps.push_back({name, "--help"});
  }
  const std::string cohort = run({tool("tilewise"), "cohort", "--help"}, "en");
  for (const std::string& name : commands_in(cohort.substr(cohort.find("Subcommands:")))) {
    helps.push_back({"cohort", name, "--help"});
  }
  return helps;
}

std::string help(Words arguments, const std::string& language) {
  arguments.insert(arguments.begin(), tool("tilewise"));
  return run(std::move(arguments), language);
}

/// The description in a line of help; empty if the line holds only a name or a command.
std::string description_in(const std::string& line) {
  if (line.find_first_not_of(' ') == line.npos) return "";
  if (line.find("./lab ") != line.npos || line.find(" mkdir ") != line.npos) return "";
  constexpr std::size_t column = 30;  // where CLI11 begins descriptions
  if (!line.starts_with("  ")) return line;
  const bool reaches_there = line.size() > column && line[column - 1] == ' ';
  return reaches_there ? line.substr(column) : "";
}

// `lab help` must work before anything is built, so the parser's list is kept in a file:
// `build/simt/bin/tilewise help > tools/app/help.txt` writes it again.
TEST(Help, IsWhatTheScriptShows) {
  EXPECT_EQ(run({"bash", layout().root / "lab", "help"}, "en"), help({"help"}, "en"));
}

TEST(Help, ListsEveryCommandInSpanish) {
  const std::string english = help({"help"}, "en"), spanish = help({"help"}, "es");
  EXPECT_EQ(commands_in(english), commands_in(spanish));
  EXPECT_THAT(commands_in(english), testing::IsSupersetOf({"grade", "cohort", "doctor", "help"}));
  EXPECT_THAT(spanish, AllOf(HasSubstr("Uso: ./lab"), HasSubstr("  ./lab grade 03_shared_memory\n"),
                             Not(HasSubstr("Usage")), Not(HasSubstr("Example"))));
}

TEST(Help, HasNoEnglishDescriptionInSpanish) {
  const std::vector<Words> helps = all_helps();
  EXPECT_GE(helps.size(), 30U);
  for (const Words& words : helps) {
    SCOPED_TRACE(testing::PrintToString(words));
    const Words lines = lines_of(help(words, "en"));
    const std::set<std::string> english(lines.begin(), lines.end());
    Words same;
    for (const std::string& line : lines_of(help(words, "es"))) {
      if (english.contains(line) && !description_in(line).empty()) same.push_back(line);
    }
    EXPECT_THAT(same, IsEmpty());
  }
}

}  // namespace
}  // namespace tilewise::grading
