#include "grading/benchmark/matmul_cases.hpp"

#include <fmt/format.h>

#include "labs/03_shared_memory/matmul_shared.hpp"
#include "labs/04_prefetch/matmul_prefetch.hpp"
#include "labs/05_work_2x2/matmul_2x2.hpp"
#include "labs/06_work_rx_ry/matmul_rx_ry.hpp"
#include "labs/09_rank1_update/matmul_rank1.hpp"

namespace tilewise::benchmark {
namespace {

using Tiled = cudaError_t(const float* A, const float* B, float* C, int n, int tile);
using Square = cudaError_t(const float* A, const float* B, float* C, int n);

struct TileFunction {
  const char* stage;
  const char* name;
  Tiled* function;
  int results;  // along each side, of a thread
  std::vector<int> tiles;
};

struct Results {
  int tile, rx, ry;
};

struct SquareFunction {
  const char* stage;
  const char* name;
  Square* function;
  int rows, cols;
};

}  // namespace

double MatmulCase::cgma() const {
  if (rows == 0 || cols == 0) return 0;
  return 2 / (1.0 / rows + 1.0 / cols);
}

std::vector<MatmulCase> matmul_cases() {
  const TileFunction tile_functions[] = {
      {"03_shared_memory", "matmul_shared", matmul_shared, 1, {8, 16, 22, 32}},
      {"04_prefetch", "matmul_prefetch_register", matmul_prefetch_register, 1, {8, 16, 32}},
      {"04_prefetch", "matmul_prefetch_shared", matmul_prefetch_shared, 1, {8, 16, 32}},
      {"05_work_2x2", "matmul_2x2", matmul_2x2, 2, {8, 16, 32}},
      {"05_work_2x2", "matmul_2x2_strided", matmul_2x2_strided, 2, {8, 16, 32}},
  };
  const Results rx_ry[] = {
      {16, 1, 1}, {16, 2, 1}, {16, 2, 2},   {16, 2, 3},   {16, 2, 8},   {16, 4, 4}, {16, 5, 6},
      {16, 6, 6}, {16, 8, 8}, {16, 16, 16}, {16, 23, 24}, {16, 24, 24}, {32, 1, 1}, {32, 2, 1},
      {32, 2, 2}, {32, 2, 3}, {32, 2, 4},   {32, 4, 4},   {32, 5, 6},   {32, 6, 6},
  };
  const Results strided[] = {
      {16, 1, 1}, {16, 2, 2}, {16, 2, 4}, {16, 4, 4},
      {32, 1, 1}, {32, 2, 2}, {32, 2, 4}, {32, 4, 4},
  };
  // The sizes of matmul_rank1 are its author's choice; these are the solution's.
  const SquareFunction square_functions[] = {
      {"06_work_rx_ry", "matmul_auto", matmul_auto, 0, 0},
      {"09_rank1_update", "matmul_two_rows", matmul_two_rows, 32, 32},
      {"09_rank1_update", "matmul_two_rows_transposed", matmul_two_rows_transposed, 32, 32},
      {"09_rank1_update", "matmul_rank1", matmul_rank1, 16, 256},
  };

  std::vector<MatmulCase> cases;
  for (const auto& [stage, name, function, results, tiles] : tile_functions) {
    for (const int tile : tiles) {
      cases.push_back({stage, fmt::format("{}(tile={})", name, tile), tile * results,
                       tile * results,
                       [function = function, tile](const float* A, const float* B, float* C,
                                                   int n) { return function(A, B, C, n, tile); }});
    }
  }
  for (const auto& [tile, rx, ry] : rx_ry) {
    cases.push_back(
        {"06_work_rx_ry", fmt::format("matmul_rx_ry(tile={}, rx={}, ry={})", tile, rx, ry),
         tile * ry, tile * rx,
         [tile = tile, rx = rx, ry = ry](const float* A, const float* B, float* C, int n) {
           return matmul_rx_ry(A, B, C, n, tile, rx, ry);
         }});
  }
  for (const auto& [tile, rx, ry] : strided) {
    cases.push_back(
        {"06_work_rx_ry", fmt::format("matmul_strided(tile={}, results={})", tile, rx * ry),
         tile * ry, tile * rx,
         [tile = tile, results = rx * ry](const float* A, const float* B, float* C, int n) {
           return matmul_strided(A, B, C, n, tile, results);
         }});
  }
  for (const auto& [stage, name, function, rows, cols] : square_functions) {
    cases.push_back({stage, name, rows, cols, function});
  }
  return cases;
}

}  // namespace tilewise::benchmark
