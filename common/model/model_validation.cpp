#include "common/model/model_validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <stdexcept>

#include "common/model/reference_table.hpp"

namespace tilewise::model {

namespace {

KernelWork work_of(const ReferenceRow& measured, const ReferenceRow& counted,
                   const core::GpuProfile& gpu) {
  const auto count = [&](const char* column) { return counted.number(column); };
  KernelWork work;
  work.blocks_x = static_cast<std::uint64_t>(count("grid_x"));
  work.blocks_y = static_cast<std::uint64_t>(count("grid_y"));
  work.threads_per_block = counted.integer("threads");
  work.shared_bytes_per_block = static_cast<std::size_t>(count("shared_bytes"));
  work.registers_per_thread = measured.integer("registers");
  work.operations = measured.number("operations");
  work.double_precision = is_double_precision(measured);
  work.global_load_requests = count("global_load_requests");
  work.global_load_sectors = count("global_load_sectors");
  work.global_load_bytes = count("global_load_bytes");
  work.global_store_requests = count("global_store_requests");
  work.global_store_sectors = count("global_store_sectors");
  work.global_store_bytes = count("global_store_bytes");
  work.shared_load_requests = count("shared_load_requests_merged");
  work.shared_load_wavefronts = count("shared_load_wavefronts_merged");
  work.shared_store_requests = count("shared_store_requests");
  work.shared_store_wavefronts = count("shared_store_wavefronts");
  work.barriers = count("barriers");
  work.shuffles = count("shuffles");
  work.block = {.load_sectors = count("block_load_sectors"),
                .shared_along_x = count("block_shared_along_x"),
                .shared_along_y = count("block_shared_along_y"),
                .store_sectors = count("block_store_sectors"),
                .store_bytes = count("block_store_bytes"),
                .load_lines = count("block_load_lines"),
                .store_lines = count("block_store_lines"),
                .load_intervals = count("block_load_intervals"),
                .waiting_intervals = count("block_waiting_intervals"),
                .store_rounds = count("block_store_rounds")};
  work.spilled_words = spilled_words(work, core::capability_of(gpu));
  return work;
}

/// "matmul_rx_ry(n=1600, 16, 2, 2)": the sizes, then the arguments that the function takes.
std::string call_of(const ReferenceRow& row) {
  std::string call = row.text("function") + "(";
  if (row.text("m") == row.text("n") && (row.text("k") == row.text("n") || row.text("k") == "0")) {
    call += "n=" + row.text("n");
  } else {
    call += "m=" + row.text("m") + ", n=" + row.text("n") + ", k=" + row.text("k");
  }
  for (const char* column : {"a", "b", "c"}) {
    if (row.text(column) != "0") call += ", " + row.text(column);
  }
  return call + ")";
}

/// Whether capability.cpp says that constants were fitted on this row.
bool is_fitted(const ReferenceRow& row) {
  const std::string& document = row.text("document");
  const int n = row.integer("n");
  if (document == "put2025") return n == 1600 || n == 4096;
  if (document == "fing2020") return row.integer("m") == 512;
  if (document == "muni2009") return row.text("function") == "transpose_naive";
  return document == "h200" && (n == 2048 || n == 16384);
}

/// Whether this unseen row is among those that showed what the model lacked: the first two kernels
/// of the ladder, dgemm without tiles, and kernels with their tiles in dynamic shared memory.
bool was_looked_at(const ReferenceRow& row) {
  const std::string& function = row.text("function");
  if (row.text("document") == "sgemm_ladder") return row.integer("a") <= 2;
  for (const char* start :
       {"dgemm_global", "dynamic_tiles.", "four_columns_in_one_load.", "last_step_apart.",
        "pairs_everywhere.", "vector_fetch.", "walking_blocks.transpose"}) {
    if (function.starts_with(start)) return true;
  }
  return false;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
  }
  return ranks;
}

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string summary_line(const std::string& name, const std::vector<ValidationRow>& rows) {
  const Agreement all = agreement(rows);
  return format("| %s | %d | %.1f%% | %.0f%% | %.3f | %.3f |\n", name.c_str(), all.rows,
                all.mean_error_pct, all.worst_error_pct, all.rank_of_times, all.rank_of_rates);
}

template <class Wanted>
std::vector<ValidationRow> rows_where(const std::vector<ValidationRow>& rows, Wanted&& wanted) {
  std::vector<ValidationRow> chosen;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(chosen), wanted);
  return chosen;
}

std::vector<std::string> documents_of(const std::vector<ValidationRow>& rows) {
  std::vector<std::string> names;
  for (const ValidationRow& row : rows) {
    if (std::find(names.begin(), names.end(), row.document) == names.end()) {
      names.push_back(row.document);
    }
  }
  return names;
}

}  // namespace

std::vector<ValidationRow> validation_rows(const std::string& table) {
  const std::vector<ReferenceRow> measured = reference_table(table + "_measurements.csv");
  const std::vector<ReferenceRow> counted = reference_table(table + "_counters.csv");
  if (measured.size() != counted.size()) {
    throw std::runtime_error(table + "_measurements.csv and " + table +
                             "_counters.csv have different numbers of rows; "
                             "common/simt/validation/model_counters.cpp says how to count anew");
  }
  std::vector<ValidationRow> rows;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const ReferenceRow& row = measured[i];
    ValidationRow result;
    result.document = row.text("document");
    const core::GpuProfile gpu = gpu_of(row);
    result.gpu = gpu.id;
    const KernelWork work = work_of(row, counted[i], gpu);
    result.call = call_of(row);
    result.place = row.place();
    result.known = table == "unseen" ? was_looked_at(row) : is_fitted(row);
    result.work =
        work.operations > 0 ? work.operations : work.global_load_bytes + work.global_store_bytes;
    result.measured_ms = row.number("measured_ms");
    result.spilled_words = work.spilled_words;
    result.modelled = kernel_time(gpu, work);
    result.metrics = kernel_metrics(gpu, work, result.modelled);
    rows.push_back(std::move(result));
  }
  return rows;
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) throw std::invalid_argument("ranks of unequal numbers of values");
  if (a.size() < 2) return 1;
  const std::vector<double> ranks_a = ranks(a), ranks_b = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double product = 0, squares_a = 0, squares_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (ranks_a[i] - mean) * (ranks_b[i] - mean);
    squares_a += (ranks_a[i] - mean) * (ranks_a[i] - mean);
    squares_b += (ranks_b[i] - mean) * (ranks_b[i] - mean);
  }
  return product / std::sqrt(squares_a * squares_b);
}

Agreement agreement(const std::vector<ValidationRow>& rows) {
  Agreement result;
  std::vector<double> measured, modelled, measured_rates, modelled_rates;
  for (const ValidationRow& row : rows) {
    const double error = 100 * std::abs(row.modelled.ms / row.measured_ms - 1);
    result.mean_error_pct += error / static_cast<double>(rows.size());
    result.worst_error_pct = std::max(result.worst_error_pct, error);
    measured.push_back(row.measured_ms);
    modelled.push_back(row.modelled.ms);
    measured_rates.push_back(row.work / row.measured_ms);
    modelled_rates.push_back(row.work / row.modelled.ms);
  }
  result.rows = static_cast<int>(rows.size());
  result.rank_of_times = spearman(measured, modelled);
  result.rank_of_rates = spearman(measured_rates, modelled_rates);
  return result;
}

std::string validation_tables(const std::vector<ValidationRow>& rows, const std::string& known) {
  std::string text =
      "| rows | number | mean error | worst | rank correlation of times | of rates |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  const auto summarise = [&](const std::string& name, const std::vector<ValidationRow>& all) {
    text += summary_line(name, all);
    const auto of = rows_where(all, [](const auto& row) { return row.known; });
    if (of.empty()) return;
    text += summary_line(name + ", " + known, of);
    text += summary_line(name + ", the rest",
                         rows_where(all, [](const auto& row) { return !row.known; }));
  };
  for (const std::string& document : documents_of(rows)) {
    summarise(document,
              rows_where(rows, [&](const auto& row) { return row.document == document; }));
  }
  summarise("all", rows);

  for (const std::string& document : documents_of(rows)) {
    text += "\n## " + document + "\n\n| call | GPU | " + known +
            " | measured, ms | modelled, ms | error | limited by |\n"
            "| --- | --- | --- | --- | --- | --- | --- |\n";
    for (const ValidationRow& row : rows) {
      if (row.document != document) continue;
      text += format("| `%s` | %s | %s | %.4g | %.4g | %+.0f%% | %s |\n", row.call.c_str(),
                     row.gpu.c_str(), row.known ? "yes" : "", row.measured_ms, row.modelled.ms,
                     100 * (row.modelled.ms / row.measured_ms - 1), row.modelled.limiter.c_str());
    }
  }
  return text;
}

}  // namespace tilewise::model
