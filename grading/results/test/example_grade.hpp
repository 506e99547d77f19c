#pragma once

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// Returns a grade of one stage with a test of every status. Its texts are full of characters that
/// an emitter must escape.
inline GradeResult example_grade() {
  GradeResult grade{"simt", "gtx1080 (modelled)", 0, 0, {}};
  StageResult stage{"03_shared_memory", 0, 0, Status::failed, {}};
  stage.tests = {
      {"MatmulShared.Passes",
       Category::correctness,
       Status::passed,
       3,
       3,
       {},
       {{"gflops", 994.25}}},
      {"MatmulShared.Fails",
       Category::safety,
       Status::failed,
       0,
       2,
       {.message = "C[3][5] is \"1.25\" & <wrong>\nblock (0, 0)",
        .hint = "look at the \033[31medges",
        .file = "matmul_shared.cu",
        .line = 31},
       {}},
      {"MatmulShared.IsSkipped",
       Category::performance,
       Status::skipped,
       0,
       0,
       {.message = "needs a GPU"},
       {}},
      {"MatmulShared.IsInconclusive",
       Category::performance,
       Status::inconclusive,
       0,
       2,
       {.message = "the card was throttled", .hint = "try again"},
       {}},
      {"MatmulShared.CannotBeJudged",
       Category::memory,
       Status::error,
       0,
       1,
       {.message = "]]> no worker", .file = "matmul_shared.cu"},
       {}},
  };
  add_up(stage);
  grade.stages = {stage};
  add_up(grade);
  return grade;
}

}  // namespace tilewise::grading
