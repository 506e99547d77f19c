#pragma once

#include <string>

#include "common/model/reference_table.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// The header line of common/model/testdata/model_counters.csv, which names its columns.
std::string model_counters_header();

/// Simulates the call of a row of common/model/testdata/model_measurements.csv on a sample of its
/// blocks.
///
/// The row's columns a, b and c are the function's arguments besides sizes: for products by tiles
/// tile, rx and ry or results, for stages 1 and 2 the block's sides; 0 if there is none. k = 0
/// means a transpose of (m, n).
/// @throws std::runtime_error if the call fails or does not launch exactly one kernel.
KernelProfile profile_of(const model::ReferenceRow& row);

/// The row's line of model_counters.csv, without the end of line.
/// @throws std::runtime_error as profile_of()
std::string model_counters_line(const model::ReferenceRow& row);

}  // namespace tilewise::simt
