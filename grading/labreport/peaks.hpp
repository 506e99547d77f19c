#pragma once

#include <optional>

#include "grading/bench/bench_report.hpp"

namespace tilewise::grading {

/// Of double precision: every lane completes one fused multiply-add (2 operations) a clock.
double peak_fp64_gflops(const core::GpuProfile& gpu);

/// The most that the GPU could do of what a row's rate counts: GFLOPS of the precision that its
/// function computes in, or GB/s. Nothing where the profile does not tell.
std::optional<double> peak_of(const core::GpuProfile& gpu, const BenchRow& row);

}  // namespace tilewise::grading
