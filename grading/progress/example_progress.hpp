#pragma once

#include "common/gpu/gpu_profile.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// One stage that has passed, and one that has failed and had hints.
inline Progress example_progress() {
  Progress progress;
  progress.current = "02_multi_block_grid";
  StageProgress& first = progress.stages["01_single_block"];
  first.status = Status::passed;
  first.score = first.max_score = 10;
  first.first_passed = "2026-11-21T07:30:00Z";
  first.best["gtx1080 (modelled)"]["MatmulSingleBlock.ReportsGflops"] = {"gflops", 13.5};
  StageProgress& second = progress.stages["02_multi_block_grid"];
  second.status = Status::failed;
  second.score = 3;
  second.max_score = 10;
  second.hints = {"something", {{"matmul_grid", 2}}};
  second.last_failure = Failure{
      .test = "MatmulGrid.IsRightAtRaggedEdges",
      .category = Category::correctness,
      .status = Status::failed,
      .message = "C[16][3] is 0, expected 1.5",
      .hint = "look at the edges",
      .file = "matmul_grid.cu",
      .line = 12,
      .seed = 18446744073709551615u,
      .backend = "simt",
      .gpu = core::default_gpu,
      .place = {.call = "matmul_grid(n=17, block=16x16)", .matrix = "C", .row = 16, .col = 3}};
  return progress;
}

}  // namespace tilewise::grading
