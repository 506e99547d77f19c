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

/// The row's time and what follows from it: GFLOPS, or GB/s where the call computes nothing, of the
/// matrices that it must read and write.
void set_time(BenchRow& row, const NamedCall& call, double ms);

/// The time with copies: of all matrices to the GPU and of what is not read-only back, as fast as
/// its bus moves them at most.
double modelled_total_ms(const NamedCall& call, const core::GpuProfile& gpu, double ms);

/// What the simulator counted, and the occupancy.
void set_counts(BenchRow& row, const NamedCall& call, const ProfileReport& profile);

/// What theory says of it.
void set_formula(BenchRow& row, const BenchCase& bench_case, const NamedCall& call);

/// All that the model says of a call: its time, GIPS and limiter.
void set_modelled(BenchRow& row, const NamedCall& call, const CallTime& time);

/// The row's problem where modelled_call() knows no time.
void set_why_no_time(BenchRow& row, const ProfileReport& profile);

/// The metric of Nsight Compute that counts instructions of warps.
inline constexpr const char* instructions_metric = "smsp__inst_executed.sum";

/// That metric for each kernel, in the order of their launches, from a log of `ncu --csv`. Empty
/// where the log has none, as where counters may not be read (ERR_NVGPUCTRPERM).
std::vector<double> instructions_in(std::string_view log);

}  // namespace tilewise::grading
