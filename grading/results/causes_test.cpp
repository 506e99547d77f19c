#include "grading/results/causes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grading/results/test/example_grade.hpp"

namespace tilewise::grading {
namespace {

using testing::ElementsAre;

TestResult failed(const std::string& name, const Finding& finding,
                  Category category = Category::correctness) {
  return {"S." + name, category, Status::failed, 0, 1, finding, {}};
}

StageResult stage_of(std::vector<TestResult> tests) {
  StageResult stage{"01_a", 0, 0, Status::failed, std::move(tests)};
  add_up(stage);
  return stage;
}

const Finding wrong = {.kind = "wrong-result", .message = "f(n=8): C[0][0] is 1"};
const Finding race = {.kind = "race", .message = "f(n=9): race", .file = "a.cu", .line = 3};

TEST(Causes, AreToldNearestFirst) {
  const char* order[] = {"compile",      "barrier", "race",  "uninitialised", "out-of-bounds",
                         "host-pointer", "launch",  "crash", "wrong-result"};
  StageResult stage = stage_of({failed("Slow", {.message = "slow"}, Category::performance)});
  for (const char* kind : order) {
    const std::string call = "f" + std::to_string(stage.tests.size()) + "(n=8)";
    stage.tests.insert(stage.tests.begin(), failed(kind, {.kind = kind, .message = call}));
  }
  std::vector<std::string> told;
  for (const Cause& cause : causes_of(stage)) told.push_back(cause.told->name);
  EXPECT_THAT(told,
              ElementsAre("S.compile", "S.barrier", "S.race", "S.uninitialised", "S.out-of-bounds",
                          "S.host-pointer", "S.launch", "S.crash", "S.wrong-result", "S.Slow"));
}

TEST(Causes, AreToldOnceWithTheTestsThatFailForThem) {
  Finding again = race;
  again.message = "f(n=17): race";
  const StageResult stage = stage_of({failed("First", wrong), failed("Ragged", wrong),
                                      failed("Clean", race), failed("Inside", again)});
  const auto causes = causes_of(stage);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(nearest_cause(stage)->name, "S.Clean");
  EXPECT_EQ(follow_ups(causes[0]),
            "For the same reason, too: Inside.\nIt may be why results are wrong: First, Ragged.");
}

TEST(Causes, ThatDifferInTheCallAloneAreOne) {
  const auto refused = [](const char* call, const char* function) {
    Finding finding{.kind = "status", .message = std::string(call) + " returned an error"};
    finding.call = call;
    return failed(function, finding);
  };
  EXPECT_EQ(causes_of(stage_of({refused("f(n=1)", "First"), refused("f(n=2)", "Second")})).size(),
            1u);
  EXPECT_EQ(causes_of(stage_of({refused("f(n=1)", "First"), refused("g(n=1)", "Second")})).size(),
            2u);
}

TEST(Causes, OfOneFunctionExplainNoWrongResultOfAnother) {
  const StageResult stage =
      stage_of({failed("G", {.kind = "wrong-result", .message = "g(n=8): C[0][0] is 1"}),
                failed("F", race)});
  EXPECT_EQ(causes_of(stage).size(), 2u);
}

TEST(Causes, OnOneLineAreOneForTwoFunctions) {
  Finding of_other = race;
  of_other.message = "g(n=9): race";
  const StageResult stage =
      stage_of({failed("F", race), failed("G", of_other),
                failed("Wrong", {.kind = "wrong-result", .message = "g(n=8): C[0][0] is 1"})});
  const auto causes = causes_of(stage);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(follow_ups(causes[0]),
            "For the same reason, too: G.\nIt may be why results are wrong: Wrong.");
}

TEST(Causes, OfALoopThatNeverEndsAreOne) {
  const auto late = [](int line) {
    return Finding{
        .kind = "time-out", .message = "f(n=8): still running", .file = "a.cu", .line = line};
  };
  EXPECT_EQ(causes_of(stage_of({failed("A", late(3)), failed("B", late(4))})).size(), 1u);
}

TEST(Causes, OfWhatPassedAreNone) {
  StageResult stage = example_grade().stages[0];
  stage.tests.resize(1);
  EXPECT_EQ(nearest_cause(stage), nullptr);
  stage.tests.push_back(example_grade().stages[0].tests[2]);
  EXPECT_EQ(nearest_cause(stage), nullptr) << "what does not apply is no failure";
  EXPECT_EQ(causes_of(stage).size(), 1u) << "but is said";
}

TEST(Headline, IsWhatTheFirstScreenSays) {
  GradeResult grade{"simt", "", 0, 0, {stage_of({failed("A", wrong), failed("B", race)})}};
  EXPECT_EQ(headline_of(grade), (Headline{"01_a", "race", "f(n=9): race", "a.cu", 3, ""}));
  const nlohmann::ordered_json document = grade;
  EXPECT_EQ(document.at("headline").at("kind"), "race");
  EXPECT_EQ(headline_of(document.get<GradeResult>()), headline_of(grade));
}

TEST(Headline, IsNullWhereAllPassed) {
  GradeResult grade = example_grade();
  grade.stages[0].tests.resize(1);
  EXPECT_TRUE(nlohmann::ordered_json(grade).at("headline").is_null());
}

TEST(Headline, TellsNothingOfHiddenTests) {
  GradeResult grade{"simt", "", 0, 0, {stage_of({failed("A", race)})}};
  grade.stages[0].tests[0].hidden = true;
  EXPECT_EQ(headline_of(grade)->message, "A hidden test did not pass.");
  grade.stages[0].tests.push_back(failed("B", wrong));
  EXPECT_EQ(headline_of(grade)->message, wrong.message) << "one that may be seen comes first";
}

TEST(Causes, PutFindingsOfACallInOrder) {
  std::vector<Finding> findings = {{.kind = "out-of-bounds"},
                                   {.kind = "warp-race"},
                                   {.kind = "race", .message = "first"},
                                   {.kind = "race", .message = "second"}};
  sort_by_cause(findings);
  std::vector<std::string> told;
  for (const Finding& finding : findings) told.push_back(finding.kind + finding.message);
  EXPECT_THAT(told, testing::ElementsAre("racefirst", "racesecond", "warp-race", "out-of-bounds"));
}

}  // namespace
}  // namespace tilewise::grading
