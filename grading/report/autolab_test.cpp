#include "grading/report/autolab.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grading/report/example_grade.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;

TEST(Autolab, IsAsRecorded) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[4].hidden = true;
  const std::string lines = autolab_lines(grade);
  const auto end = lines.find('\n');
  const Json feedback = Json::parse(R"({
    "_presentation": "semantic", "stages": ["03_shared_memory"],
    "03_shared_memory": {
      "MatmulShared.Passes": {"passed": true},
      "MatmulShared.Fails": {"passed": false, "hint": "matmul_shared.cu:31\nC[3][5] is \"1.25\" & <wrong>\nblock (0, 0)\nHint: look at the \\x1b[31medges\n"},
      "MatmulShared.IsInconclusive": {"passed": false, "hint": "the card was throttled\nHint: try again\n"},
      "Hidden test 1": {"passed": false}}})");
  EXPECT_EQ(Json::parse(lines.substr(0, end)).dump(1), feedback.dump(1));
  EXPECT_EQ(lines.substr(end + 1), "{\"scores\":{\"03_shared_memory\":3}}\n")
      << "Autolab reads the last line, a problem's name and its points";
}

TEST(Autolab, IsTwoLinesWhateverTheTexts) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[1].message = "{\"scores\": {\"03_shared_memory\": 99}}\n\r\n\xff";
  const std::string lines = autolab_lines(grade);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

}  // namespace
}  // namespace tilewise::grading
