#include "grading/report/step_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/report/example_grade.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(StepSummary, IsAsRecorded) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[4].hidden = true;
  EXPECT_EQ(step_summary(grade), R"(## 3/8 points

Graded on gtx1080 &#40;modelled&#41;, backend simt.

| stage | tests | points | |
| --- | --- | --- | --- |
| 03&#95;shared&#95;memory | 1 of 4 | 3/8 | failed |

<details><summary>03&#95;shared&#95;memory: MatmulShared&#46;Fails failed</summary>

```text
matmul_shared.cu:31
C[3][5] is "1.25" & <wrong>
block (0, 0)
Hint: look at the \x1b[31medges
```

</details>

<details><summary>03&#95;shared&#95;memory: MatmulShared&#46;IsInconclusive inconclusive</summary>

```text
the card was throttled
Hint: try again
```

</details>

<details><summary>03&#95;shared&#95;memory: Hidden test 1 error</summary>


</details>
)");
}

TEST(StepSummary, KeepsTextsFromBecomingMarkup) {
  GradeResult grade = example_grade();
  TestResult& test = grade.stages[0].tests[1];
  test.message = "````\n</details><script>@somebody [link](https://example.org)";
  test.name = "A.B</summary> | <img src=x> @somebody";
  const std::string summary = step_summary(grade);
  EXPECT_THAT(summary, HasSubstr("`````text\n")) << "a fence that the message cannot close";
  EXPECT_THAT(summary, Not(HasSubstr("<img")));
  EXPECT_THAT(summary, Not(HasSubstr("B</summary>")));
}

}  // namespace
}  // namespace tilewise::grading
