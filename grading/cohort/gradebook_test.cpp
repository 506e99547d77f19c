#include "grading/cohort/gradebook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/results/test/example_grade.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<GradebookRow> rows() {
  GradeResult better = example_grade();
  better.stages[0].tests[1].status = Status::passed;
  better.stages[0].tests[1].score = 2;
  add_up(better.stages[0]);
  add_up(better);
  return {{"anna", {better, ""}},
          {"=berta", {example_grade(), ""}},
          {"carla <x>", {{}, "it holds no labs/NN_topic/*.cu\nand a second line"}}};
}

TEST(Gradebook, IsCsv) {
  EXPECT_EQ(gradebook_csv(rows()),
            "name,status,score,max_score,03_shared_memory,problem\r\n"
            "anna,graded,5,8,5,\r\n"
            "'=berta,graded,3,8,3,\r\n"
            "carla <x>,not graded,,,,it holds no labs/NN_topic/*.cu\r\n");
}

TEST(Gradebook, CountsHowTestsWent) {
  EXPECT_EQ(statistics_csv(rows()),
            "stage,test,category,passed,failed,others,passed_pct\r\n"
            "03_shared_memory,MatmulShared.Passes,correctness,2,0,0,100.0\r\n"
            "03_shared_memory,MatmulShared.Fails,safety,1,1,0,50.0\r\n"
            "03_shared_memory,MatmulShared.IsSkipped,performance,0,0,2,0.0\r\n"
            "03_shared_memory,MatmulShared.IsInconclusive,performance,0,0,2,0.0\r\n"
            "03_shared_memory,MatmulShared.CannotBeJudged,memory,0,0,2,0.0\r\n");
}

TEST(Gradebook, IsAPage) {
  const std::string page = gradebook_html(rows(), "Lab 3 & 4", "seed <17>");
  EXPECT_THAT(page, HasSubstr("<title>Lab 3 &amp; 4</title>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"feedback/anna.txt\">anna</a>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"feedback/carla%20%3Cx%3E.txt\">carla &lt;x&gt;</a>"));
  EXPECT_THAT(page, HasSubstr("not graded: it holds no labs/NN_topic/*.cu</td>"));
  EXPECT_THAT(page, HasSubstr("<p>seed &lt;17&gt;</p>"));
  EXPECT_THAT(page, HasSubstr("3 submissions: 2 graded, 1 not. Mean of the graded: 4.0 of 8.0"));
  EXPECT_THAT(page, HasSubstr("60 to under 70%</th><td><span class=\"bar\" style=\"width: "
                              "10em\"></span> 1</td>"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"ungraded\">"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
}

}  // namespace
}  // namespace tilewise::grading
