#include "grading/bench/bench_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "common/base/language.hpp"
#include "common/gpu/capability.hpp"
#include "grading/profile/memory_use.hpp"
#include "grading/profile/modelled_time.hpp"

namespace tilewise::grading {
namespace {

double bytes_of_matrices(const NamedCall& call) {
  double bytes = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      bytes += static_cast<double>(matrix->payload_bytes);
    }
  }
  return bytes;
}

/// Returns the kernel that takes longest, or if no time is known, the one that loads most.
const KernelProfile& main_kernel(const ProfileReport& profile) {
  const auto weight = [&](const KernelProfile& kernel) {
    const auto time = modelled_time(kernel, profile);
    return std::pair(time ? time->ms : 0, kernel.counters.global_load_requests);
  };
  return *std::ranges::max_element(profile.kernels, {}, weight);
}

OccupancyFigures occupancy_figures(const KernelProfile& kernel, const ProfileReport& profile) {
  const Registers registers = registers_of(kernel, profile);
  const model::Occupancy occupancy = occupancy_of(kernel, profile.gpu, registers.per_thread);
  const auto& block = kernel.launch.block;
  return {.threads_per_block = static_cast<int>(block[0] * block[1] * block[2]),
          .registers_per_thread = registers.per_thread,
          .registers_from_nvcc = registers.from_nvcc,
          .shared_bytes_per_block = shared_bytes(kernel, profile.gpu),
          .by_warps = occupancy.limit_by_warps,
          .by_blocks = occupancy.limit_by_blocks,
          .by_registers = occupancy.limit_by_registers,
          .by_shared = occupancy.limit_by_shared,
          .active_blocks = occupancy.active_blocks,
          .percent = occupancy.percent,
          .limited_by = limiter_of(occupancy)};
}

std::optional<double> cgma_of(const NamedCall& call, const ElementTraffic& traffic) {
  const double elements = traffic.loads + traffic.stores;
  if (call.operations == 0 || elements == 0) return std::nullopt;
  return call.operations / elements;
}

/// Splits a line of CSV into cells. Quoted cells hold no line feeds.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

void set_time(BenchRow& row, const NamedCall& call, double ms) {
  row.ms = ms;
  const bool computes = call.operations > 0;
  row.unit = computes ? "GFLOPS" : "GB/s";
  row.rate = (computes ? call.operations : bytes_of_matrices(call)) / ms * 1e-6;
}

double modelled_total_ms(const NamedCall& call, const core::GpuProfile& gpu, double ms) {
  double bytes = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      bytes += static_cast<double>(matrix->payload_bytes) * (matrix->read_only ? 1 : 2);
    }
  }
  return ms + bytes / core::capability_of(gpu).bus_gb_s * 1e-6;
}

void set_counts(BenchRow& row, const NamedCall& call, const ProfileReport& profile) {
  if (profile.kernels.empty()) return;
  const simt::Counters total = add_up(profile.kernels).total;
  const double element_bytes = call.double_precision ? sizeof(double) : sizeof(float);
  row.counted = {static_cast<double>(total.global_load_lane_bytes) / element_bytes,
                 static_cast<double>(total.global_store_lane_bytes) / element_bytes};
  row.cgma = cgma_of(call, *row.counted);
  row.occupancy = occupancy_figures(main_kernel(profile), profile);
  row.metrics = metrics_of_call(profile);
}

void set_formula(BenchRow& row, const BenchCase& bench_case, const NamedCall& call) {
  const auto accesses = bench_case.accesses(row.n);
  if (!accesses) return;
  row.by_formula = {static_cast<double>(accesses->loads), static_cast<double>(accesses->stores)};
  row.cgma_by_formula = cgma_of(call, *row.by_formula);
}

void set_modelled(BenchRow& row, const NamedCall& call, const CallTime& time) {
  set_time(row, call, time.ms);
  row.gips = time.gips;
  row.gips_measured = false;
  row.limiter = time.limiter;
}

void set_speedups(std::vector<BenchRow>& rows, const std::vector<BenchCase>& cases) {
  for (BenchRow& row : rows) {
    const auto of_row = std::ranges::find_if(cases, [&](const BenchCase& one) {
      return one.function == row.function && one.block == row.block;
    });
    if (of_row == cases.end() || of_row->one_result.empty() || row.rate == 0) continue;
    const auto base = std::ranges::find_if(rows, [&](const BenchRow& other) {
      return other.function == row.function && other.block == of_row->one_result &&
             other.contender == row.contender && other.n == row.n && other.rate > 0;
    });
    const bool is_own = row.contender == Contender::student || row.contender == Contender::solution;
    if (is_own && base != rows.end()) row.speedup = base->ms / row.ms;
  }
}

void set_why_no_time(BenchRow& row, const ProfileReport& profile) {
  for (const KernelProfile& kernel : profile.kernels) {
    const model::Occupancy occupancy =
        occupancy_of(kernel, profile.gpu, registers_of(kernel, profile).per_thread);
    if (occupancy.cannot_run.empty()) continue;
    row.problem = tr("cannot run there: {}", occupancy.cannot_run);
    return;
  }
  row.excused = true;
  row.problem = std::ssize(profile.kernels) < profile.launches
                    ? tr("it launches {} kernels, too many to model", profile.launches)
                    : tr("its blocks differ too much for a few to stand for all");
}

std::vector<double> instructions_in(std::string_view log) {
  std::vector<double> counts;
  std::ptrdiff_t name = -1, value = -1;  // column indices, from the header line
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    const std::vector<std::string> cells = cells_of(line);
    const auto column = [&](std::string_view title) {
      const auto found = std::ranges::find(cells, title);
      return found == cells.end() ? -1 : found - cells.begin();
    };
    if (column("Metric Name") >= 0 && column("Metric Value") >= 0) {
      name = column("Metric Name");
      value = column("Metric Value");
      continue;
    }
    if (name < 0 || std::max(name, value) >= std::ssize(cells)) continue;
    if (cells[std::size_t(name)] != instructions_metric) continue;
    std::string digits = cells[std::size_t(value)];  // "1,234,567"
    std::erase(digits, ',');
    counts.push_back(std::strtod(digits.c_str(), nullptr));
  }
  return counts;
}

}  // namespace tilewise::grading
