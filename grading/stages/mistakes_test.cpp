#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/result.hpp"
#include "grading/stages/tally.hpp"

// Every known mistake must be found by the intended test, with the right message.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A solution with one mistake, made by grading/stages/NN_topic/mistakes/name.patch. The text
/// before the diff says what to expect.
struct Mistake {
  fs::path patch;

  std::string stage() const { return patch.parent_path().parent_path().filename().string(); }

  /// Returns the "Name: value" lines before the diff.
  ///
  /// - "Passes:" names a test that does not find the mistake. Other tests must find it, and it
  ///   costs only their points. There may be several such lines.
  /// - "Slow:" names a test of speed that the kernel fails as well, as the previous stage's kernels
  ///   do.
  /// - "Gpu:" names the profile to grade with, for mistakes that do not matter on some GPUs.
  /// - "First:" has the kind of finding, and some of its words, that the first screen must report,
  ///   as in "race: race on shared As". If there are several such lines, one of them must hold,
  ///   since the random sizes may decide what is found first.
  /// - "Pitfall:" names the row of the handout that quotes the message.
  /// - "Compilers: all" makes grading/other_compiler grade the mistake with the other compiler,
  ///   too.
  std::multimap<std::string, std::string> lines() const {
    std::multimap<std::string, std::string> fields;
    std::ifstream file(patch);
    for (std::string line; std::getline(file, line) && !line.starts_with("--- ");) {
      const std::size_t colon = line.find(": ");
      if (colon != line.npos) fields.emplace(line.substr(0, colon), line.substr(colon + 2));
    }
    return fields;
  }

  /// Returns the same as a map, for names that occur once.
  std::map<std::string, std::string> header() const {
    const auto fields = lines();
    return {fields.begin(), fields.end()};
  }
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.patch.string(); }

std::vector<Mistake> mistakes() {
  std::vector<Mistake> found;
  for (const StageInfo& stage : stages()) {
    for (const auto& file :
         fs::directory_iterator(drawer_of(layout().root, stage.id) / "mistakes")) {
      if (file.path().extension() == ".patch") found.push_back({file.path()});
    }
  }
  std::ranges::sort(found, {}, &Mistake::patch);
  return found;
}

std::string name_of(const testing::TestParamInfo<Mistake>& info) {
  return info.param.stage() + "_" + info.param.patch.stem().string();
}

CommandResult apply(const Mistake& mistake, const fs::path& folder) {
  Command command;
  command.arguments = {"patch",     "--strip=1", "--fuzz=0",
                       "--forward", "--batch",   "--input=" + mistake.patch.string()};
  command.working_directory = folder;
  return run_command(command);
}

/// Whether a message contains this text. [...] in the text stands for anything.
bool says_in_order(const std::string& message, const std::string& text) {
  constexpr std::string_view elision = "[...]";
  std::size_t place = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(elision, begin), text.size());
    const std::string piece = text.substr(begin, end - begin);
    place = message.find(piece, place);
    if (place == message.npos) return false;
    place += piece.size();
    begin = end + elision.size();
  }
  return true;
}

Tally& tally = tally_of_program("mistakes");

class MistakeTest : public testing::TestWithParam<Mistake> {
 protected:
  void TearDown() override {
    tally.count(GetParam().stage(), GetParam().header()["Category"], !HasFailure());
  }
};

TEST_P(MistakeTest, IsCaught) {
  const Mistake& mistake = GetParam();
  const auto header = mistake.header();
  for (const char* field : {"Mistake", "Fails", "Category", "Says"}) {
    ASSERT_TRUE(header.contains(field)) << "its header lacks a line '" << field << ": ...'";
  }
  TemporarySubmission submission(mistake.stage());
  submission.take(layout().root / "solutions" / mistake.stage());
  const CommandResult applied = apply(mistake, submission.stage_folder());
  ASSERT_TRUE(applied.succeeded()) << "patch " << describe_ending(applied) << ":\n"
                                   << applied.output;

#ifdef TILEWISE_SANITIZE
  constexpr double time_limit_s = 30;
#else
  constexpr double time_limit_s = 4;  // an endless loop reaches it in every test
#endif
  const std::string first = header.contains("First") ? header.at("First") : "";
  const bool compiles = !first.starts_with("compile: ");
  const std::string gpu = header.contains("Gpu") ? header.at("Gpu") : default_gpu;
  std::set<std::string> tests = {header.at("Fails")};
  const auto lines = mistake.lines();
  const auto [first_passed, last_passed] = lines.equal_range("Passes");
  for (auto passes = first_passed; passes != last_passed; ++passes) tests.insert(passes->second);
  if (header.contains("Slow")) tests.insert(header.at("Slow"));
  if (!first.empty()) {
    const std::string& fails = header.at("Fails");
    tests.insert(fails.substr(0, fails.find('.')) + ".IsFreeOfRacesAndStrayAccesses");
  }
  const StageResult result = submission.grade(time_limit_s, gpu, tests);
  EXPECT_EQ(result.status, compiles ? Status::failed : Status::error);
  const auto test = std::ranges::find(result.tests, header.at("Fails"), &TestResult::name);
  ASSERT_NE(test, result.tests.end()) << "there is no test " << header.at("Fails");
  EXPECT_EQ(to_string(test->status), compiles ? "failed" : "error") << test->finding.message;
  if (!first.empty()) {
    const TestResult* told = nearest_cause(result);
    ASSERT_NE(told, nullptr);
    const std::string said = kind_of(*told) + ": " + told->finding.message;
    const auto [begin, end] = lines.equal_range("First");
    EXPECT_TRUE(std::any_of(begin, end, [&](const auto& line) {
      const std::size_t words = line.second.find(": ") + 2;
      return says_in_order(said,
                           line.second.substr(0, words) + "[...]" + line.second.substr(words));
    })) << said;
  }
  EXPECT_EQ(to_string(test->category), header.at("Category"));
  for (auto [says, end] = lines.equal_range("Says"); says != end; ++says) {
    EXPECT_PRED2(says_in_order, test->finding.message, says->second);
  }
  for (auto [next, end] = lines.equal_range("Next"); next != end; ++next) {
    EXPECT_PRED2(says_in_order, test->finding.hint, next->second);
  }
  for (auto passes = first_passed; passes != last_passed; ++passes) {
    const auto blind = std::ranges::find(result.tests, passes->second, &TestResult::name);
    ASSERT_NE(blind, result.tests.end()) << "there is no test " << passes->second;
    EXPECT_EQ(to_string(blind->status), "passed") << blind->finding.message;
  }
  if (header.contains("Slow")) {
    const auto slow = std::ranges::find(result.tests, header.at("Slow"), &TestResult::name);
    ASSERT_NE(slow, result.tests.end()) << "there is no test " << header.at("Slow");
    EXPECT_EQ(to_string(slow->status), "failed") << slow->finding.message;
    EXPECT_THAT(slow->finding.message,
                AllOf(HasSubstr("(modelled for " + gpu + "), minimum"), HasSubstr("limited by")));
  }
}

class EveryStage : public testing::TestWithParam<StageInfo> {};

TEST_P(EveryStage, HasMistakes) {
  // With fewer, some test of a grader had no mistake to find.
  constexpr int fewest = 6;
  EXPECT_GE(std::ranges::count(mistakes(), GetParam().id, &Mistake::stage), fewest);
}

INSTANTIATE_TEST_SUITE_P(Mistakes, EveryStage, testing::ValuesIn(stages()),
                         [](const auto& info) { return info.param.id; });

INSTANTIATE_TEST_SUITE_P(Mistakes, MistakeTest, testing::ValuesIn(mistakes()), name_of);

}  // namespace
}  // namespace tilewise::grading
