#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/test/matches.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"

// These tests check the words that shells offer with the script of `lab completion`.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Words = std::vector<std::string>;

std::string run(Words arguments, const fs::path& folder = {}) {
  Command command;
  command.arguments = std::move(arguments);
  command.working_directory = folder;
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

/// A folder with the script of a shell, and with one file and one folder to complete.
class Completion : public testing::Test {
 protected:
  void write_script(const std::string& shell) {
    std::ofstream(script()) << run({tool("tilewise"), "completion", shell});
    fs::create_directory(scratch.path() / "folder");
    std::ofstream(scratch.path() / "file.json") << "{}";
  }

  fs::path script() const { return scratch.path() / "_lab"; }

  ScratchDirectory scratch;
};

/// A line as bash splits it: '=' is a word, and so is the word being typed, which may be empty.
struct Case {
  const char* what;
  Words line;
  testing::Matcher<Words> offered;
};

class InBash : public Completion, public testing::WithParamInterface<Case> {};

TEST_P(InBash, IsOffered) {
  write_script("bash");
  std::string quoted;
  for (const std::string& word : GetParam().line) quoted += fmt::format(" \"{}\"", word);
  const std::string offered =
      run({"bash", "--norc", "-c",
           fmt::format("set -u; source ./_lab; COMP_WORDS=(./lab{}); COMP_CWORD={}; _lab; "
                       "printf '%s\\n' ${{COMPREPLY[@]+\"${{COMPREPLY[@]}}\"}}",
                       quoted, GetParam().line.size())},
          scratch.path());
  Words lines = lines_of(offered);
  std::erase(lines, "");
  EXPECT_THAT(lines, GetParam().offered);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, InBash,
    testing::Values(
        Case{"Commands", {"pr"}, UnorderedElementsAre("predict", "profile")},
        Case{"CommandsOfTheScript", {"upd"}, ElementsAre("update")},
        Case{"CommandsBelowACommand",
             {"cohort", ""},
             ElementsAre("grade", "intake", "merge", "similarity", "rubric", "leaderboard")},
        Case{"Stages", {"grade", "03"}, ElementsAre("03_shared_memory")},
        Case{"MoreStages", {"grade", "1", "07"}, ElementsAre("07_transpose")},
        Case{"SubmissionsOfACohort", {"cohort", "grade", "fi"}, ElementsAre("file.json")},
        Case{"StagesOfACohort",
             {"cohort", "grade", "folder", "1", "07"},
             ElementsAre("07_transpose")},
        Case{"Options", {"grade", "--so"}, ElementsAre("--solutions")},
        Case{"OptionsOfThisCommandAlone", {"list", "--"}, ElementsAre("--help")},
        Case{"OptionsBelowACommand", {"cohort", "grade", "--jo"}, ElementsAre("--jobs")},
        Case{"Gpus", {"grade", "--gpu", "gtx10"}, ElementsAre("gtx1080")},
        Case{"GpusAfterEquals", {"grade", "--gpu", "=", "h2"}, ElementsAre("h200")},
        Case{"GpusRightAfterEquals", {"profile", "--gpu", "="}, Contains("gt240")},
        Case{"SeveralGpus", {"occupancy", "--gpu", "gt240,h2"}, ElementsAre("gt240,h200")},
        Case{"WordsThatAreChecked",
             {"grade", "--backend", ""},
             UnorderedElementsAre("auto", "simt", "cuda")},
        Case{"Shells", {"completion", ""}, UnorderedElementsAre("bash", "zsh", "fish")},
        Case{"Files", {"grade", "--json", "fi"}, ElementsAre("file.json")},
        Case{"Folders", {"grade", "--submission", "fo"}, ElementsAre("folder")},
        Case{"CallsOfTheStage",
             {"profile", "4", "--call", ""},
             ElementsAre("'matmul_prefetch_register(n=", "'matmul_prefetch_shared(n=")},
        Case{"CallsInQuotes",
             {"profile", "shared_memory", "--call", "'mat"},
             ElementsAre("matmul_shared(n=")},
        Case{"CallsOfTheStageBehindAValue",
             {"profile", "--gpu", "=", "h200", "3", "--call", ""},
             ElementsAre("'matmul_shared(n=")},
        Case{"CallsOfAnyStage",
             {"profile", "--call", "transpose_d"},
             ElementsAre("'transpose_diagonal(rows=")},
        Case{"NothingForANumber", {"grade", "--seed", ""}, IsEmpty()},
        Case{"StagesAfterAValue", {"grade", "--gpu", "h200", "09"}, ElementsAre("09_rank1_update")},
        Case{"NothingBelowWhatIsNoCommand", {"frobnicate", ""}, Contains("grade")}),
    [](const auto& info) { return std::string(info.param.what); });

TEST_F(Completion, InZshTypesTheRest) {
  if (find_program("zsh").empty()) GTEST_SKIP() << "zsh is not installed";
  write_script("zsh");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"lab occ", "lab occupancy "},
      {"./lab upd", "./lab update"},
      {"lab grade 03", "lab grade 03_shared_memory"},
      {"lab grade --sol", "lab grade --solutions"},
      {"lab grade --gpu h2", "lab grade --gpu h200"},
      {"lab grade --gpu=h2", "lab grade --gpu=h200"},
      {"lab grade --json fi", "lab grade --json file.json"},
      {"lab cohort gr", "lab cohort grade"},
      {"lab profile 3 --call ", "lab profile 3 --call matmul_shared\\(n="},
  };
  // zsh runs in a terminal that it makes itself, and Tab is pressed after each line.
  std::string driver =
      "zmodload zsh/zpty; zpty shell zsh -f -i\n"
      "zpty -w shell 'PS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp 2>/dev/null; "
      "autoload -Uz compinit && compinit -u -D; fpath=(. $fpath); source ./_lab; "
      "show() { print -r -- \"<$BUFFER>\"; BUFFER=; zle reset-prompt }; zle -N show; "
      "bindkey \"^X\" show; print ready'\n"
      "while zpty -r shell line && [[ $line != ready* ]]; do :; done\n";
  for (const auto& [typed, completed] : cases) {
    driver += fmt::format(
        "zpty -w -n shell \"{}\"$'\\t\\x18'\n"
        "while zpty -r shell line; do [[ $line == *'<'*'>'* ]] && break; done\n"
        "print -r -- ${{${{line#*<}}%%>*}}\n",
        typed);
  }
  driver += "zpty -d shell\n";
  const Words lines = lines_of(run({"zsh", "-f", "-c", driver}, scratch.path()));
  ASSERT_EQ(lines.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_THAT(lines[i], testing::StartsWith(cases[i].second)) << "after " << cases[i].first;
  }
}

TEST_F(Completion, InFishIsOffered) {
  if (find_program("fish").empty()) GTEST_SKIP() << "fish is not installed";
  write_script("fish");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"lab occ", "occupancy"},
      {"./lab upd", "update"},
      {"lab grade 03", "03_shared_memory"},
      {"lab grade --sol", "--solutions"},
      {"lab grade --gpu h2", "h200"},
      {"lab grade --json fi", "file.json"},
      {"lab cohort gr", "grade"},
      {"lab profile 3 --call ", "matmul_shared(n="},
      {"lab list 03", ""},
  };
  for (const auto& [typed, offered] : cases) {
    const std::string answer =
        run({"fish", "--no-config", "-c",
             fmt::format("source ./_lab; complete -C '{}' | string split -f1 \\t; true", typed)},
            scratch.path());
    EXPECT_THAT(lines_of(answer),
                offered.empty() ? testing::Matcher<Words>(IsEmpty()) : ElementsAre(offered))
        << "after " << typed;
  }
}

// The parser lists the commands that the script `lab` carries out itself, though it does not run
// them.
TEST_F(Completion, KnowsTheCommandsOfTheScript) {
  write_script("bash");
  std::ifstream lab(layout().root / "lab");
  const std::string text{std::istreambuf_iterator<char>(lab), {}};
  const std::string choice = text.substr(text.rfind("case ${1-} in"));
  std::set<std::string> labels;
  for (const auto& label : core::matches_of(choice, R"(\n  ([a-z]+)\)\n)")) {
    labels.insert(label[1]);  // without __packages, which nobody types
  }
  EXPECT_THAT(labels, Contains("test"));
  const std::string offered = run({"bash", "-c",
                                   "source ./_lab; COMP_WORDS=(lab ''); COMP_CWORD=1; _lab; "
                                   "printf '%s\\n' \"${COMPREPLY[@]}\""},
                                  scratch.path());
  for (const std::string& command : labels) {
    EXPECT_THAT(lines_of(offered), Contains(command));
  }
}

}  // namespace
}  // namespace tilewise::grading
