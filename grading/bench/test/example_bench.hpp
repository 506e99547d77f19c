#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/bench/bench_report.hpp"

namespace tilewise::grading {

/// Returns a row with every figure. `gflops` is the rate that it approaches for large n.
inline BenchRow example_row(const std::string& stage, const std::string& function, int tile, int n,
                            double gflops, Contender contender = Contender::student) {
  const double cubes = double(n) * n * n;
  BenchRow row;
  row.stage = stage;
  row.function = function;
  row.block = fmt::format("tile {}", tile);
  row.contender = contender;
  row.n = n;
  row.call = fmt::format("{}(n={}, tile={})", function, n, tile);
  row.rate = gflops * n / (n + 200.0);
  row.ms = 2e-6 * cubes / row.rate;
  row.unit = "GFLOPS";
  row.right = true;
  row.gips = row.rate / 20;
  row.limiter = "shared memory";
  row.counted = {2 * cubes / tile, double(n) * n};
  row.by_formula = row.counted;
  row.cgma = 2 * cubes / (row.counted->loads + row.counted->stores);
  row.cgma_by_formula = row.cgma;
  row.occupancy = {.threads_per_block = tile * tile,
                   .registers_per_thread = 32,
                   .registers_from_nvcc = true,
                   .shared_bytes_per_block = std::size_t(8) * tile * tile,
                   .by_warps = 2048 / (tile * tile),
                   .by_blocks = 32,
                   .by_registers = 2048 / (tile * tile),
                   .by_shared = 98304 / (8 * tile * tile),
                   .active_blocks = 2048 / (tile * tile),
                   .percent = tile == 22 ? 93.75 : 100,
                   .limited_by = "warps"};
  return row;
}

/// Returns a report on a student's stages 3 and 4 on the simulator, with the solutions beside.
inline BenchReport example_bench() {
  BenchReport report;
  report.device = "gtx1080 (modelled)";
  report.command = "lab bench 3 4";
  report.date = "2026-11-21";
  report.inputs = "random, seed 17";
  report.gpu = core::gpu_profile(core::default_gpu);
  const struct {
    const char* stage;
    const char* function;
    std::vector<int> tiles;
    double gflops;
  } kernels[] = {{"03_shared_memory", "matmul_shared", {8, 16, 22, 32}, 900},
                 {"04_prefetch", "matmul_prefetch_register", {8, 16, 32}, 1000},
                 {"04_prefetch", "matmul_prefetch_shared", {8, 16, 32}, 1100}};
  for (const auto& [stage, function, tiles, gflops] : kernels) {
    for (const int tile : tiles) {
      for (const auto& [contender, share] :
           {std::pair(Contender::student, 0.9), std::pair(Contender::solution, 1.0)}) {
        for (const int n : {256, 512, 1000, 1024, 2048}) {
          const double by_tile = tile == 22 ? 0.7 : tile == 8 ? 0.6 : tile == 16 ? 0.9 : 1.0;
          report.rows.push_back(
              example_row(stage, function, tile, n, gflops * share * by_tile, contender));
        }
      }
    }
  }
  return report;
}

}  // namespace tilewise::grading
