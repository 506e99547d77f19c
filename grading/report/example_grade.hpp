#pragma once

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// One stage with a test of every status, its texts full of what an emitter must escape.
inline GradeResult example_grade() {
  GradeResult grade{"simt", "gtx1080 (modelled)", 0, 0, {}};
  StageResult stage{"03_shared_memory", 0, 0, Status::failed, {}};
  stage.tests = {
      {"MatmulShared.Passes",
       Category::correctness,
       Status::passed,
       3,
       3,
       "",
       "",
       "",
       0,
       {{"gflops", 994.25}}},
      {"MatmulShared.Fails",
       Category::safety,
       Status::failed,
       0,
       2,
       "C[3][5] is \"1.25\" & <wrong>\nblock (0, 0)",
       "look at the \033[31medges",
       "matmul_shared.cu",
       31,
       {}},
      {"MatmulShared.IsSkipped",
       Category::performance,
       Status::skipped,
       0,
       0,
       "needs a GPU",
       "",
       "",
       0,
       {}},
      {"MatmulShared.IsInconclusive",
       Category::performance,
       Status::inconclusive,
       0,
       2,
       "the card was throttled",
       "try again",
       "",
       0,
       {}},
      {"MatmulShared.CannotBeJudged",
       Category::memory,
       Status::error,
       0,
       1,
       "]]> no worker",
       "",
       "matmul_shared.cu",
       0,
       {}},
  };
  add_up(stage);
  grade.stages = {stage};
  add_up(grade);
  return grade;
}

}  // namespace tilewise::grading
