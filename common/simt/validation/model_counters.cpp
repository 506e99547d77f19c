// Writes the counters that the model of a kernel's time needs of every measured kernel:
//
//   model_counters model|unseen [first [count]] > common/model/testdata/model_counters.csv
//
// The rows are in the order of common/model/testdata/model_measurements.csv, or for
// unseen_counters.csv in that of unseen_measurements.csv.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "common/simt/validation/model_rows.hpp"

int main(int argc, char** argv) {
  using namespace tilewise;
  try {
    const std::string table = argc > 1 ? argv[1] : "model";
    const auto rows = model::reference_table(table + "_measurements.csv");
    const std::size_t first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    const std::size_t count = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : rows.size();
    if (first == 0) std::puts(simt::model_counters_header().c_str());
    for (std::size_t i = first; i < rows.size() && i - first < count; ++i) {
      std::puts(simt::model_counters_line(rows[i]).c_str());
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "model_counters: %s\n", error.what());
    return 1;
  }
}
