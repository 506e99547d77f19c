#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/08_dgemm_dtrsm/dgemm.hpp"
#include "labs/08_dgemm_dtrsm/dtrsm.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto dgemm_global =
    CONTRACT(dgemm_global, dgemm_matrices, "m", "n", "k", "alpha=1", "A", "lda=k", "B", "ldb=n",
             "beta=0", "C", "ldc=n");

inline constexpr auto dgemm_shared =
    CONTRACT(dgemm_shared, dgemm_matrices, "m", "n", "k", "alpha=1", "A", "lda=k", "B", "ldb=n",
             "beta=0", "C", "ldc=n");

inline constexpr auto dtrsm_32_shared =
    CONTRACT(dtrsm_32_shared, dtrsm_32_matrices, "n", "alpha=1", "A", "lda=32", "B", "ldb=n");

inline constexpr auto dtrsm_32_shuffle =
    CONTRACT(dtrsm_32_shuffle, dtrsm_32_matrices, "n", "alpha=1", "A", "lda=32", "B", "ldb=n");

inline constexpr auto dtrsm_blocked =
    CONTRACT(dtrsm_blocked, dtrsm_matrices, "m", "n", "alpha=1", "A", "lda=m", "B", "ldb=n");

inline constexpr auto dtrsm_recursive =
    CONTRACT(dtrsm_recursive, dtrsm_matrices, "m", "n", "alpha=1", "A", "lda=m", "B", "ldb=n");

}  // namespace tilewise::grading::contracts
