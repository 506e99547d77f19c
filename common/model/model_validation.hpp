#pragma once

#include <string>
#include <vector>

#include "common/model/kernel_metrics.hpp"
#include "common/model/kernel_time.hpp"
#include "common/model/reference_table.hpp"

/// Compares the model of a kernel's time with measurements.
namespace tilewise::model {

/// A measured launch and what the model says about it.
struct ValidationRow {
  std::string document;  ///< "put2025"; "h200" for our own measurements
  std::string gpu;       ///< a profile's id
  std::string call;      ///< "matmul_rx_ry(n=1600, 16, 2, 2)"
  std::string place;     ///< file and line, for messages
  /// Whether constants of the generation were fitted on this row or, for an unseen row, whether the
  /// model was changed after the row had been looked at.
  bool known = false;
  double work = 0;           ///< operations; bytes for a transpose
  double spilled_words = 0;  ///< KernelWork::spilled_words
  double measured_ms = 0;
  KernelTime modelled;
  KernelMetrics metrics;  ///< modelled; shared efficiency is not, since the tables lack its counts
};

/// Returns the rows of common/model/testdata/TABLE_measurements.csv, with the counters of
/// TABLE_counters.csv beside it, in the files' order. The tables are "model" and "unseen".
/// @throws std::runtime_error if the files cannot be read or do not belong together.
std::vector<ValidationRow> validation_rows(const std::string& table);

/// Whether the function of a row of model_measurements.csv computes in double precision.
inline bool is_double_precision(const ReferenceRow& row) {
  const std::string& function = row.text("function");
  return function.find("dgemm") != function.npos || function.find("dtrsm") != function.npos;
}

/// How well the model agrees with some rows.
struct Agreement {
  int rows = 0;
  double mean_error_pct = 0;  ///< mean of |modelled / measured - 1| of the times
  double worst_error_pct = 0;
  double rank_of_times = 0;  ///< Spearman's correlation of modelled with measured times
  double rank_of_rates = 0;  ///< of operations (bytes) a second: harder, as sizes play no part
};

Agreement agreement(const std::vector<ValidationRow>& rows);

/// Spearman's rank correlation; equal values get the mean of their ranks. Returns 1 for fewer than
/// two values.
double spearman(const std::vector<double>& a, const std::vector<double>& b);

/// Returns all rows and how well they agree, as tables in Markdown.
/// @param known the heading for ValidationRow::known of these rows: "fitted on"
std::string validation_tables(const std::vector<ValidationRow>& rows, const std::string& known);

}  // namespace tilewise::model
