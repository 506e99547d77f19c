#pragma once

#include <string>
#include <vector>

#include "common/model/kernel_metrics.hpp"
#include "common/model/kernel_time.hpp"
#include "common/model/reference_table.hpp"

/// The model of a kernel's time against what was measured.
namespace tilewise::model {

/// A measured launch and what the model makes of it.
struct ValidationRow {
  std::string document;  ///< "put2025", "h200" for our own measurements
  std::string gpu;       ///< a profile's id
  std::string call;      ///< "matmul_rx_ry(n=1600, 16, 2, 2)"
  std::string place;     ///< file and line, for messages
  /// Constants of the generation were fitted on it; of an unseen row, that the model was mended
  /// after it was looked at.
  bool known = false;
  double work = 0;           ///< operations, for a transpose bytes
  double spilled_words = 0;  ///< KernelWork::spilled_words
  double measured_ms = 0;
  KernelTime modelled;
  KernelMetrics metrics;  ///< modelled; the tables do not have what shared efficiency needs
};

/// The rows of common/model/testdata/TABLE_measurements.csv with the counters of
/// TABLE_counters.csv beside it, in that order. Tables are model and unseen.
/// @throws std::runtime_error where the files cannot be read or do not belong together.
std::vector<ValidationRow> validation_rows(const std::string& table);

/// Whether the function of a row of model_measurements.csv computes in double precision.
inline bool is_double_precision(const ReferenceRow& row) {
  const std::string& function = row.text("function");
  return function.find("dgemm") != function.npos || function.find("dtrsm") != function.npos;
}

/// How well the model does on some rows.
struct Agreement {
  int rows = 0;
  double mean_error_pct = 0;  ///< mean of |modelled / measured - 1| of the times
  double worst_error_pct = 0;
  double rank_of_times = 0;  ///< Spearman's correlation, modelled with measured
  double rank_of_rates = 0;  ///< of operations (bytes) a second: harder, as sizes play no part
};

Agreement agreement(const std::vector<ValidationRow>& rows);

/// Spearman's rank correlation; equal values share their ranks' mean. 1 for fewer than two values.
double spearman(const std::vector<double>& a, const std::vector<double>& b);

/// All rows and how they agree, as tables in Markdown.
/// @param known what ValidationRow::known means of them, as a heading: "fitted on"
std::string validation_tables(const std::vector<ValidationRow>& rows, const std::string& known);

}  // namespace tilewise::model
