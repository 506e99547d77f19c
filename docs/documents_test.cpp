#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"

// What documents name is there.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ContainerEq;
using testing::Contains;
using testing::SizeIs;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::set<std::string> all_of(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

/// A line of a console: `./lab cohort grade submissions/ --out graded/`.
struct LabCommand {
  std::vector<std::string> names;  ///< cohort, grade
  std::set<std::string> flags;     ///< --out
};

std::vector<LabCommand> lab_commands(const fs::path& document) {
  std::vector<LabCommand> commands;
  std::istringstream lines(text_of(document));
  for (std::string line; std::getline(lines, line);) {
    line = std::regex_replace(line, std::regex("'[^']*'"), "''");  // what goes to other programs
    const std::set<std::string> rest = all_of(line, std::regex(R"(^(?:\$ )?\./lab ([a-z].*))"));
    if (rest.empty()) continue;
    LabCommand command;
    std::istringstream words(*rest.begin());
    for (std::string word; words >> word && word != "#";) {
      const bool second = command.names.size() == 1 && command.names[0] == "cohort";
      if (command.names.empty() || second) command.names.push_back(word);
      if (word.starts_with("--")) command.flags.insert(word.substr(0, word.find('=')));
    }
    commands.push_back(command);
  }
  return commands;
}

TEST(ThreatModel, NamesEveryExploit) {
  std::multiset<std::string> exploits;
  const fs::path attacks = layout().root / "grading" / "attacks";
  for (const fs::path& folder : {attacks, attacks / "on_gpu"}) {
    for (const auto& stage : fs::directory_iterator(folder)) {
      if (!stage.is_directory() || stage.path().filename() == "on_gpu") continue;
      for (const auto& file : fs::directory_iterator(stage)) {
        exploits.insert(file.path().lexically_relative(folder).string());
      }
    }
  }
  const std::string page = text_of(layout().root / "docs" / "threat-model.md");
  const std::regex line(R"(\n\| `(\d\d_\w+/\w+\.cu)` \|)");
  std::multiset<std::string> named;
  for (std::sregex_iterator found(page.begin(), page.end(), line), end; found != end; ++found) {
    named.insert((*found)[1]);
  }
  EXPECT_THAT(named, ContainerEq(exploits));
}

/// "Suite.Test" of every GoogleTest in the sources.
std::set<std::string> tests_in_sources() {
  std::set<std::string> tests;
  const std::regex declared(R"(\nTEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  for (const char* part : {"common", "grading", "tools", "docs"}) {
    for (const auto& item : fs::recursive_directory_iterator(layout().root / part)) {
      if (!item.path().filename().string().ends_with("_test.cpp")) continue;
      const std::string source = text_of(item.path());
      for (std::sregex_iterator found(source.begin(), source.end(), declared), end; found != end;
           ++found) {
        tests.insert((*found)[1].str() + "." + (*found)[2].str());
      }
    }
  }
  return tests;
}

TEST(ThreatModel, HasATestForEachSentenceOfWhatHolds) {
  const std::string page = text_of(layout().root / "docs" / "threat-model.md");
  const std::size_t begin = page.find("\n## What holds it");
  ASSERT_NE(begin, page.npos);
  std::istringstream lines(page.substr(begin, page.find("\n## ", begin + 1) - begin));
  const std::set<std::string> tests = tests_in_sources();
  const std::regex quoted("`([^`]+)`");
  int sentences = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| what holds") || line.starts_with("| ---")) {
      continue;
    }
    ++sentences;
    const std::size_t last_cell = line.rfind('|', line.size() - 2);
    const std::set<std::string> names = all_of(line.substr(last_cell), quoted);
    EXPECT_THAT(names, SizeIs(testing::Ge(1))) << line;
    for (const std::string& name : names) {
      const bool is_exploit = fs::exists(layout().root / "grading" / name) && name.ends_with(".cu");
      EXPECT_TRUE(is_exploit || tests.contains(name)) << name << " in\n" << line;
    }
  }
  EXPECT_GE(sentences, 20);
}

TEST(Documents, NameCommandsThatThereAre) {
  for (const char* document : {"README.md", "docs/instructors.md"}) {
    const std::vector<LabCommand> commands = lab_commands(layout().root / document);
    EXPECT_THAT(commands, SizeIs(testing::Ge(5))) << document;
    for (const LabCommand& command : commands) {
      if (command.names[0] == "test" || command.names[0] == "update") continue;  // of the script
      Command help;
      help.arguments = {tool("tilewise")};
      help.arguments.insert(help.arguments.end(), command.names.begin(), command.names.end());
      help.arguments.emplace_back("--help");
      const CommandResult answer = run_command(help);
      EXPECT_TRUE(answer.succeeded()) << document << ": " << testing::PrintToString(command.names);
      const std::set<std::string> known = all_of(answer.output, std::regex("(--[a-z0-9-]+)"));
      for (const std::string& flag : command.flags) {
        EXPECT_THAT(known, Contains(flag))
            << document << ": " << testing::PrintToString(command.names);
      }
    }
  }
}

}  // namespace
}  // namespace tilewise::grading
