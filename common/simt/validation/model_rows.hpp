#pragma once

#include <string>

#include "common/model/reference_table.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// The columns of common/model/testdata/model_counters.csv.
std::string model_counters_header();

/// The columns a, b and c of common/model/testdata/model_measurements.csv are what a function
/// takes besides sizes: for products by tiles tile, rx and ry or results, for stages 1 and 2 the
/// block's sides; 0 where there is none. k = 0: a transpose of (m, n).
///
/// Simulates the call of a row of common/model/testdata/model_measurements.csv, sampled.
/// @throws std::runtime_error where the call fails or launches other than one kernel.
KernelProfile profile_of(const model::ReferenceRow& row);

/// The row's line of model_counters.csv, without the end of line.
/// @throws std::runtime_error as profile_of()
std::string model_counters_line(const model::ReferenceRow& row);

}  // namespace tilewise::simt
