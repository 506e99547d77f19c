#pragma once

#include <string>
#include <vector>

#include "grading/bench/bench_report.hpp"

/// Ways to look at a BenchReport that its charts and the lab report share. Pointers into a report
/// hold as long as it does.
namespace tilewise::grading {

/// A contract function and all rows about it.
struct Version {
  std::string stage;
  std::string function;
  std::vector<const BenchRow*> rows;
};

/// In the order of the report.
std::vector<Version> versions_of(const BenchReport& report);

/// Whose kernels the report is about: the student's, or where there are none, the solutions.
Contender subject_of(const BenchReport& report);

/// Whether a row says how fast a kernel is; one with a wrong result does not.
bool has_figures(const BenchRow& row);

/// What contender chose among, in the order of the report; one empty text where there is no choice.
/// Rows without figures count, those without a call do not.
std::vector<std::string> blocks_of(const Version& version, Contender contender);

/// Orders that somebody ran, sorted.
std::vector<int> orders_of(const Version& version);

/// The row of a contender; null where there is none.
const BenchRow* row_at(const Version& version, Contender contender, const std::string& block,
                       int n);

/// The fastest row of a contender at an order, of those with figures; null where there is none.
const BenchRow* best_at(const Version& version, Contender contender, int n);

/// The blocks that have figures, the fastest first: at the largest order that has any.
std::vector<std::string> blocks_by_rate(const Version& version, Contender contender);

/// "gtx1080 (modelled)", "NVIDIA H200 (measured)".
std::string where_taken(const BenchReport& report);

}  // namespace tilewise::grading
