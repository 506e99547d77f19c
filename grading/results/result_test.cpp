#include "grading/results/result.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewise::grading {
namespace {

TestResult test_with(Status status, int score, int max_score) {
  TestResult test;
  test.status = status;
  test.score = score;
  test.max_score = max_score;
  return test;
}

TEST(Result, WordsReadBackAsWritten) {
  for (const Status status :
       {Status::passed, Status::failed, Status::skipped, Status::inconclusive, Status::error}) {
    EXPECT_EQ(status_from_string(to_string(status)), status);
  }
  for (const Category category :
       {Category::correctness, Category::safety, Category::memory, Category::performance}) {
    EXPECT_EQ(category_from_string(to_string(category)), category);
  }
}

TEST(Result, RefusesUnknownWords) {
  EXPECT_THROW(status_from_string("fine"), std::invalid_argument);
  EXPECT_THROW(category_from_string(""), std::invalid_argument);
}

TEST(Result, AStagePassesOnlyIfAllThatCountsPassed) {
  const TestResult passed = test_with(Status::passed, 3, 3);
  const struct {
    std::vector<TestResult> tests;
    Status status;
    int score, max_score;
  } cases[] = {
      {{}, Status::failed, 0, 0},
      {{passed}, Status::passed, 3, 3},
      {{passed, test_with(Status::skipped, 0, 0)}, Status::passed, 3, 3},
      {{passed, test_with(Status::failed, 0, 2)}, Status::failed, 3, 5},
      {{passed, test_with(Status::failed, 0, 0)}, Status::failed, 3, 3},
      {{passed, test_with(Status::inconclusive, 0, 2)}, Status::failed, 3, 5},
      {{passed, test_with(Status::inconclusive, 0, 0)}, Status::passed, 3, 3},
      {{passed, test_with(Status::error, 0, 2)}, Status::failed, 3, 5},
  };
  for (const auto& expected : cases) {
    StageResult stage;
    stage.tests = expected.tests;
    add_up(stage);
    EXPECT_EQ(stage.status, expected.status);
    EXPECT_EQ(stage.score, expected.score);
    EXPECT_EQ(stage.max_score, expected.max_score);
  }
}

TEST(Result, AGradeSumsItsStages) {
  GradeResult grade;
  EXPECT_FALSE(all_passed(grade)) << "nothing graded is not a pass";
  grade.stages = {{"01", 3, 10, Status::passed, {}}, {"02", 4, 10, Status::passed, {}}};
  add_up(grade);
  EXPECT_EQ(grade.score, 7);
  EXPECT_EQ(grade.max_score, 20);
  EXPECT_TRUE(all_passed(grade));
  grade.stages[1].status = Status::error;
  EXPECT_FALSE(all_passed(grade));
}

using Json = nlohmann::ordered_json;

// This is the design's example of tilewise/result/v1, with one of the alternatives of "status".
// clang-format off
constexpr const char* example = R"json({
  "schema": "tilewise/result/v1", "backend": "simt", "device": "gtx1080 (modelled)",
  "score": 7, "max_score": 10,
  "headline": {"stage": "03_shared_memory", "kind": "safety", "message": "...",
               "file": "matmul_shared.cu", "line": 31, "next": "..."},
  "stages": [{"id": "03_shared_memory", "score": 7, "max_score": 10, "status": "failed",
    "tests": [{"name": "MatmulShared.IsFreeOfRaces", "category": "safety", "status": "failed",
               "score": 0, "max_score": 2, "message": "...", "hint": "...",
               "file": "matmul_shared.cu", "line": 31,
               "measurements": {"gflops": 994.0}}]}]})json";
// clang-format on

TEST(ResultJson, ReadsTheExampleOfTheSchema) {
  const auto grade = Json::parse(example).get<GradeResult>();
  GradeResult expected{"simt", "gtx1080 (modelled)", 7, 10, {}};
  expected.stages = {{"03_shared_memory", 7, 10, Status::failed, {}}};
  expected.stages[0].tests = {
      {"MatmulShared.IsFreeOfRaces",
       Category::safety,
       Status::failed,
       0,
       2,
       {.message = "...", .hint = "...", .file = "matmul_shared.cu", .line = 31},
       {{"gflops", 994.0}}}};
  EXPECT_EQ(grade, expected);
}

TEST(ResultJson, WritesTheExampleOfTheSchema) {
  const Json document = Json::parse(example);
  // The documents are compared as text, so that the order of the fields counts, too.
  EXPECT_EQ(to_file(Json(document.get<GradeResult>())), document.dump(2) + "\n");
}

TEST(ResultJson, NothingToSayIsEmptyNotMissing) {
  const Json document = TestResult{};
  EXPECT_EQ(document.dump(),
            R"({"name":"","category":"correctness","status":"error","score":0,"max_score":0,)"
            R"("message":"","hint":"","file":"","line":0,"measurements":{}})");
}

TEST(ResultJson, LeavesOutMeasurementsThatAreNotNumbers) {
  TestResult test;
  test.measurements = {{"gflops", std::numeric_limits<double>::quiet_NaN()},
                       {"ms", std::numeric_limits<double>::infinity()},
                       {"n", 1024}};
  EXPECT_EQ(Json(test)["measurements"].dump(), R"({"n":1024.0})");
}

TEST(ResultJson, SurvivesBytesThatAreNotUtf8) {
  TestResult test;
  test.finding.message = "printed \xff";
  const std::string line = to_line(test);
  EXPECT_EQ(Json::parse(line).at("message"), "printed \xef\xbf\xbd");
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(ResultJson, RefusesOtherDocuments) {
  Json wrong_schema = Json::parse(example);
  wrong_schema["schema"] = "tilewise/result/v2";
  EXPECT_THROW(wrong_schema.get<GradeResult>(), std::invalid_argument);

  Json wrong_status = Json::parse(example);
  wrong_status["stages"][0]["tests"][0]["status"] = "great";
  EXPECT_THROW(wrong_status.get<GradeResult>(), std::invalid_argument);

  const Json whole = Json::parse(example);
  for (const auto& field : whole.items()) {
    if (field.key() == "headline") continue;  // computed from the other fields
    Json incomplete = whole;
    incomplete.erase(field.key());
    EXPECT_THROW(incomplete.get<GradeResult>(), nlohmann::json::exception) << field.key();
  }
  for (const auto& field : whole["stages"][0]["tests"][0].items()) {
    Json incomplete = whole["stages"][0]["tests"][0];
    incomplete.erase(field.key());
    EXPECT_THROW(incomplete.get<TestResult>(), nlohmann::json::exception) << field.key();
  }
}

}  // namespace
}  // namespace tilewise::grading
