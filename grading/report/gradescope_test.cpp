#include "grading/report/gradescope.hpp"

#include <gtest/gtest.h>

#include "grading/report/example_grade.hpp"
#include "grading/report/json.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;

Json recorded() {
  return Json::parse(R"({
  "score": 3, "execution_time": 12.5, "output": "Graded on gtx1080 (modelled).",
  "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden",
  "tests": [
    {"name": "03_shared_memory: MatmulShared.Passes", "score": 3, "max_score": 3,
     "status": "passed", "output": "", "output_format": "text", "tags": ["correctness"],
     "visibility": "visible"},
    {"name": "03_shared_memory: MatmulShared.Fails", "score": 0, "max_score": 2,
     "status": "failed", "output": "matmul_shared.cu:31\nC[3][5] is \"1.25\" & <wrong>\nblock (0, 0)\nHint: look at the \\x1b[31medges\n",
     "output_format": "text", "tags": ["safety"], "visibility": "hidden"},
    {"name": "03_shared_memory: MatmulShared.IsSkipped", "score": 0, "max_score": 0,
     "output": "skipped: needs a GPU\n", "output_format": "text", "tags": ["performance"],
     "visibility": "visible"},
    {"name": "03_shared_memory: MatmulShared.IsInconclusive", "score": 0, "max_score": 2,
     "status": "failed", "output": "inconclusive: the card was throttled\nHint: try again\n",
     "output_format": "text", "tags": ["performance"], "visibility": "visible"},
    {"name": "03_shared_memory: MatmulShared.CannotBeJudged", "score": 0, "max_score": 1,
     "status": "failed", "output": "error: matmul_shared.cu\n]]> no worker\n",
     "output_format": "text", "tags": ["memory"], "visibility": "visible"}
  ]})");
}

TEST(Gradescope, IsAsRecorded) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[1].hidden = true;
  EXPECT_EQ(gradescope_document(grade, 12.5).dump(1), recorded().dump(1));
}

TEST(Gradescope, SaysWhyThereIsNoGrade) {
  const Json expected = Json::parse(R"({
  "score": 0, "output": "no file \\x1b here", "output_format": "text", "visibility": "visible",
  "stdout_visibility": "hidden", "tests": []})");
  EXPECT_EQ(gradescope_document("no file \x1b here").dump(1), expected.dump(1));
}

TEST(Gradescope, HoldsNothingThatItsSpecificationDoesNotAllow) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[1].message = std::string("\0\xff\x1b", 3);
  const Json document = gradescope_document(grade, 1);
  EXPECT_NO_THROW(document.dump()) << "valid UTF-8";
  for (const Json& test : document["tests"]) {
    EXPECT_LE(test["score"], test["max_score"]);
    if (test.contains("status")) {
      EXPECT_TRUE(test["status"] == "passed" || test["status"] == "failed") << test["status"];
    }
  }
}

}  // namespace
}  // namespace tilewise::grading
