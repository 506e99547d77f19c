#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "grading/bench/bench_cases.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {

/// Sets the row's time and rate: GFLOPS, or if the call computes nothing, GB/s of the matrices that
/// it must read and write.
void set_time(BenchRow& row, const NamedCall& call, double ms);

/// Returns the time with copies at the bus's nominal rate: all matrices to the GPU, and those that
/// are not read-only back.
double modelled_total_ms(const NamedCall& call, const core::GpuProfile& gpu, double ms);

/// Sets the simulator's counts and the occupancy.
void set_counts(BenchRow& row, const NamedCall& call, const ProfileReport& profile);

/// Sets the theoretical counts.
void set_formula(BenchRow& row, const BenchCase& bench_case, const NamedCall& call);

/// Sets the modelled figures of a call: its time, GIPS and limiter.
void set_modelled(BenchRow& row, const NamedCall& call, const CallTime& time);

/// Sets the speed-up of each row over the same function with one result per thread
/// (BenchCase::one_result), if that is among the rows.
void set_speedups(std::vector<BenchRow>& rows, const std::vector<BenchCase>& cases);

/// Sets the row's problem if modelled_call() knows no time.
void set_why_no_time(BenchRow& row, const ProfileReport& profile);

/// The metric of Nsight Compute that counts warp instructions.
inline constexpr const char* instructions_metric = "smsp__inst_executed.sum";

/// Reads that metric for each kernel, in launch order, from a log of `ncu --csv`. The result is
/// empty if the log has none, for example because the counters may not be read (ERR_NVGPUCTRPERM).
std::vector<double> instructions_in(std::string_view log);

}  // namespace tilewise::grading
