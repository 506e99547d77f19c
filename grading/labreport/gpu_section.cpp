#include <fmt/format.h>

#include "grading/labreport/number_text.hpp"
#include "grading/labreport/peaks.hpp"
#include "grading/labreport/sections.hpp"
#include "grading/labreport/table.hpp"

namespace tilewise::grading {
namespace {

std::string kib(std::size_t bytes) {
  return bytes == 0 ? "none" : fmt::format("{} KiB", with_commas(bytes / 1024));
}

void add(Table& table, const char* what, const std::string& value) {
  table.rows.push_back({{what}, {value}});
}

Table limits_of(const core::GpuProfile& gpu) {
  Table table{"What one multiprocessor (SM) holds",
              {{"resource", true}, {"limit"}},
              {},
              Table::Width::narrow};
  add(table, "threads", with_commas(gpu.threads_per_sm));
  add(table, "warps", with_commas(gpu.warps_per_sm));
  add(table, "blocks", with_commas(gpu.blocks_per_sm));
  add(table, "registers of 32 bits", with_commas(gpu.registers_per_sm));
  add(table, "shared memory", kib(gpu.shared_bytes_per_sm));
  add(table, "shared memory of a block, at most", kib(gpu.shared_bytes_per_block));
  add(table, "threads of a block, at most", with_commas(gpu.threads_per_block));
  add(table, "banks of shared memory", with_commas(gpu.banks));
  return table;
}

Table rates_of(const core::GpuProfile& gpu) {
  Table table{gpu.name, {{"property", true}, {"value"}}, {}, Table::Width::narrow};
  add(table, "compute capability", fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor));
  add(table, "multiprocessors (SMs)", with_commas(gpu.sms));
  add(table, "FP32 lanes an SM", with_commas(gpu.fp32_lanes_per_sm));
  add(table, "clock", fmt::format("{} MHz", significant(gpu.clock_mhz)));
  add(table, "peak, single precision", significant(gpu.peak_fp32_gflops()) + " GFLOPS");
  const double doubles = peak_fp64_gflops(gpu);
  add(table, "peak, double precision",
      doubles > 0 ? significant(doubles) + " GFLOPS" : "none, or not documented");
  add(table, "bandwidth of memory", significant(gpu.dram_gb_s) + " GB/s");
  add(table, "L2 cache", kib(gpu.l2_bytes));
  return table;
}

}  // namespace

Html gpu_section(const BenchReport& report) {
  const core::GpuProfile& gpu = report.gpu;
  const double flop_a_byte = gpu.peak_fp32_gflops() / gpu.dram_gb_s;
  Html section = element("h2", {{"id", "gpu"}}, "The GPU");
  if (!report.modelled) {
    section += element("p", "Measured on " + report.device + "; the figures below are those of " +
                                gpu.name + ", the card nearest to it that Tilewise knows.");
  }
  section +=
      element("div", {{"class", "tables"}}, html_of(rates_of(gpu)) + html_of(limits_of(gpu)));
  section += element(
      "p", Html("Peaks: every lane completes one fused multiply-add, two operations, a clock; "
                "2 × ") +
               fmt::format("{} × {} × {}\u00a0MHz. ", gpu.sms, gpu.fp32_lanes_per_sm,
                           significant(gpu.clock_mhz)) +
               element("strong", "Ridge point: ") +
               fmt::format("{} / {} = {:.1f} operations a byte, {:.1f} an element of 4 bytes. ",
                           significant(gpu.peak_fp32_gflops()), significant(gpu.dram_gb_s),
                           flop_a_byte, 4 * flop_a_byte) +
               "A kernel whose CGMA is lower than that, as far as caches do not help, waits for "
               "memory; above it, arithmetic can be the limit.");
  return element("section", section);
}

}  // namespace tilewise::grading
