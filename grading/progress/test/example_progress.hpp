#pragma once

#include "common/gpu/gpu_profile.hpp"
#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// A course of nine stages, which does not depend on the stages of the real course.
inline std::vector<StageInfo> example_course() {
  return {{"01_single_block", {"matmul_single_block.cu"}, {"matmul_single_block"}, 10},
          {"02_multi_block_grid", {"matmul_grid.cu"}, {"matmul_grid"}, 10},
          {"03_shared_memory", {"matmul_shared.cu"}, {"matmul_shared"}, 10},
          {"04_prefetch", {"matmul_prefetch.cu"}, {"matmul_prefetch_register"}, 10},
          {"05_work_2x2", {"matmul_2x2.cu"}, {"matmul_2x2"}, 10},
          {"06_work_rx_ry", {"matmul_rx_ry.cu"}, {"matmul_rx_ry"}, 10},
          {"07_transpose", {"transpose.cu"}, {"transpose_naive"}, 10},
          {"08_dgemm_dtrsm", {"dgemm.cu", "dtrsm.cu"}, {"dgemm_global", "dtrsm_blocked"}, 10},
          {"09_rank1_update", {"matmul_rank1.cu"}, {"matmul_rank1"}, 10}};
}

/// One stage of that course that has passed, and one that has failed and for which hints were
/// shown.
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
  second.predictions = {
      {"matmul_grid(n=64, block=32x8)", "sectors a load request", "4", "2.5", "gtx1080", true}};
  second.hints = {"something", {{"matmul_grid", 2}}};
  second.last_failure = Failure{.test = "MatmulGrid.IsRightAtRaggedEdges",
                                .category = Category::correctness,
                                .status = Status::failed,
                                .finding = {.message = "C[16][3] is 0, expected 1.5",
                                            .hint = "look at the edges",
                                            .file = "matmul_grid.cu",
                                            .line = 12,
                                            .call = "matmul_grid(n=17, block=16x16)",
                                            .matrix = "C",
                                            .row = 16,
                                            .col = 3},
                                .seed = 18446744073709551615u,
                                .backend = "simt",
                                .gpu = core::default_gpu};
  return progress;
}

}  // namespace tilewise::grading
