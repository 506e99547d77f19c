#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <vector>

namespace tilewise::simt {

/// One kernel launch whose counters are compared: it is the same on a GPU under Nsight Compute and
/// on the simulator.
struct CounterCase {
  std::string name;  ///< without commas, because it stands in a CSV file
  /// Launches exactly one kernel, on memory of its own, and waits for it.
  std::function<cudaError_t()> run;
};

/// Solutions of the stages, transposes and access patterns, in the order of the recorded table.
std::vector<CounterCase> counter_cases();

}  // namespace tilewise::simt
