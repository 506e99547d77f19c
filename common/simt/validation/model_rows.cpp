#include "common/simt/validation/model_rows.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "common/gpu/gpu_profile.hpp"
#include "common/model/model_validation.hpp"
#include "common/model/occupancy.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/validation/published_kernels.hpp"
#include "common/simt/validation/put2025_kernel.hpp"
#include "common/simt/watch.hpp"
#include "labs/01_single_block/matmul_single_block.hpp"
#include "labs/02_multi_block_grid/matmul_grid.hpp"
#include "labs/03_shared_memory/matmul_shared.hpp"
#include "labs/04_prefetch/matmul_prefetch.hpp"
#include "labs/05_work_2x2/matmul_2x2.hpp"
#include "labs/06_work_rx_ry/matmul_rx_ry.hpp"
#include "labs/07_transpose/transpose.hpp"
#include "labs/08_dgemm_dtrsm/dgemm.hpp"
#include "labs/08_dgemm_dtrsm/dtrsm.hpp"
#include "labs/09_rank1_update/matmul_rank1.hpp"

// These are defined in grading/stages/*/beside.
decltype(transpose_naive) muni2009_plain_transpose_naive, muni2009_strided_transpose_naive,
    muni2009_tile_transpose_naive;
decltype(dgemm_global) fing2020_dgemm_global, fing2020_dgemm_shared;
decltype(dtrsm_32_shared) fing2020_dtrsm_32_shared, fing2020_dtrsm_32_shuffle;

// Correct kernels in other styles (grading/stages/*/others), each in a namespace of its own. An
// entry holds the name of the call, the stage, the style and the function.
#define TILEWISE_OTHERS(OTHER)                                \
  OTHER(by_blocks, 02, flat_grid, matmul_grid)                \
  OTHER(by_blocks, 02, matrix_view, matmul_grid)              \
  OTHER(by_blocks, 02, row_bands, matmul_grid)                \
  OTHER(tiled, 03, backward_clamped, matmul_shared)           \
  OTHER(tiled, 03, double_buffer, matmul_shared)              \
  OTHER(tiled, 03, dynamic_tiles, matmul_shared)              \
  OTHER(tiled, 03, guarded_loads, matmul_shared)              \
  OTHER(tiled, 03, linear_block, matmul_shared)               \
  OTHER(tiled, 03, prefetch, matmul_shared)                   \
  OTHER(tiled, 03, vector_loads, matmul_shared)               \
  OTHER(tiled, 04, last_step_apart, matmul_prefetch_register) \
  OTHER(tiled, 04, last_step_apart, matmul_prefetch_shared)   \
  OTHER(tiled, 04, three_pairs, matmul_prefetch_register)     \
  OTHER(tiled, 04, three_pairs, matmul_prefetch_shared)       \
  OTHER(tiled, 04, vector_fetch, matmul_prefetch_register)    \
  OTHER(tiled, 04, vector_fetch, matmul_prefetch_shared)      \
  OTHER(tiled, 05, dynamic_tiles, matmul_2x2)                 \
  OTHER(tiled, 05, dynamic_tiles, matmul_2x2_strided)         \
  OTHER(tiled, 05, pairs_everywhere, matmul_2x2)              \
  OTHER(tiled, 05, pairs_everywhere, matmul_2x2_strided)      \
  OTHER(tiled, 05, plain_and_guarded, matmul_2x2)             \
  OTHER(tiled, 05, plain_and_guarded, matmul_2x2_strided)     \
  OTHER(tiled, 05, walking_blocks, matmul_2x2)                \
  OTHER(tiled, 05, walking_blocks, matmul_2x2_strided)        \
  OTHER(by_results, 06, adjacent_results, matmul_rx_ry)       \
  OTHER(by_results, 06, dynamic_tiles, matmul_rx_ry)          \
  OTHER(by_results, 06, vector_loads, matmul_rx_ry)           \
  OTHER(transpose, 07, swizzled_vectors, transpose_padded)    \
  OTHER(transpose, 07, swizzled_vectors, transpose_diagonal)  \
  OTHER(transpose, 07, views_and_lambdas, transpose_padded)   \
  OTHER(transpose, 07, views_and_lambdas, transpose_diagonal) \
  OTHER(transpose, 07, walking_blocks, transpose_padded)      \
  OTHER(transpose, 07, walking_blocks, transpose_diagonal)    \
  OTHER(dgemm, 08, views_and_lambdas, dgemm_shared)           \
  OTHER(plain, 09, as_in_2009, matmul_two_rows)               \
  OTHER(plain, 09, as_in_2009, matmul_rank1)                  \
  OTHER(plain, 09, four_columns_in_one_load, matmul_two_rows) \
  OTHER(plain, 09, four_columns_in_one_load, matmul_rank1)

#define DECLARE(how, stage, style, function) \
  namespace others_##stage##_##style {       \
    decltype(::function) function;           \
  }
TILEWISE_OTHERS(DECLARE)
#undef DECLARE

namespace tilewise::simt {
namespace {

/// The arguments of a call. The matrices' values play no part, and each matrix is as large as the
/// largest must be.
struct Arguments {
  int m, n, k;
  int a, b, c;  ///< as in the columns of model_measurements.csv
  const void *A, *B;
  void* C;

  const float* A_() const { return static_cast<const float*>(A); }
  const float* B_() const { return static_cast<const float*>(B); }
  float* C_() const { return static_cast<float*>(C); }
  const double* Ad() const { return static_cast<const double*>(A); }
  const double* Bd() const { return static_cast<const double*>(B); }
  double* Cd() const { return static_cast<double*>(C); }
  dim3 block() const { return dim3(static_cast<unsigned>(a), static_cast<unsigned>(b)); }
};

using Function = std::function<cudaError_t(const Arguments&)>;

Function plain(cudaError_t (*multiply)(const float*, const float*, float*, int)) {
  return [=](const Arguments& x) { return multiply(x.A_(), x.B_(), x.C_(), x.n); };
}
Function tiled(cudaError_t (*multiply)(const float*, const float*, float*, int, int)) {
  return [=](const Arguments& x) { return multiply(x.A_(), x.B_(), x.C_(), x.n, x.a); };
}
Function by_blocks(cudaError_t (*multiply)(const float*, const float*, float*, int, dim3)) {
  return [=](const Arguments& x) { return multiply(x.A_(), x.B_(), x.C_(), x.n, x.block()); };
}
Function by_results(decltype(&matmul_rx_ry) multiply) {
  return [=](const Arguments& x) { return multiply(x.A_(), x.B_(), x.C_(), x.n, x.a, x.b, x.c); };
}
Function transpose(cudaError_t (*turn)(float*, const float*, int, int)) {
  return [=](const Arguments& x) { return turn(x.C_(), x.A_(), x.m, x.n); };
}
Function dgemm(decltype(&dgemm_shared) multiply, double beta = 0) {
  return [=](const Arguments& x) {
    return multiply(x.m, x.n, x.k, 1, x.Ad(), x.k, x.Bd(), x.n, beta, x.Cd(), x.n);
  };
}
Function dtrsm_32(decltype(&dtrsm_32_shared) solve) {
  return [=](const Arguments& x) { return solve(x.n, 1, x.Ad(), x.m, x.Cd(), x.n); };
}
Function published(bool (*multiply)(const float*, const float*, float*, int, int)) {
  return [=](const Arguments& x) {
    const bool known = multiply(x.A_(), x.B_(), x.C_(), x.n, x.a);
    return known ? cudaGetLastError() : cudaErrorInvalidValue;
  };
}

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> all = {
      {"put2025_matmul",
       [](const Arguments& x) {
         const bool known = put2025_matmul(x.a, x.b, x.c, x.A_(), x.B_(), x.C_(), x.n);
         return known ? cudaGetLastError() : cudaErrorInvalidValue;
       }},
      {"muni2009_rank1",
       [](const Arguments& x) {
         muni2009_rank1(x.A_(), x.B_(), x.C_(), x.n);
         return cudaGetLastError();
       }},
      {"muni2009_copy", transpose(muni2009_plain_transpose_naive)},
      {"muni2009_strided_copy", transpose(muni2009_strided_transpose_naive)},
      {"muni2009_tile_copy", transpose(muni2009_tile_transpose_naive)},
      {"put2014_prefetch_shared", published(put2014_prefetch_shared)},
      {"put2014_2x2", published(put2014_2x2)},
      {"sgemm_ladder", published(sgemm_ladder)},
      {"fing2020_dgemm_global", dgemm(fing2020_dgemm_global, 1)},
      {"fing2020_dgemm_shared", dgemm(fing2020_dgemm_shared, 1)},
      {"fing2020_dtrsm_32_shared", dtrsm_32(fing2020_dtrsm_32_shared)},
      {"fing2020_dtrsm_32_shuffle", dtrsm_32(fing2020_dtrsm_32_shuffle)},
      {"dtrsm_32_shared", dtrsm_32(dtrsm_32_shared)},
      {"matmul_single_block", by_blocks(matmul_single_block)},
      {"matmul_grid", by_blocks(matmul_grid)},
      {"matmul_shared", tiled(matmul_shared)},
      {"matmul_prefetch_register", tiled(matmul_prefetch_register)},
      {"matmul_prefetch_shared", tiled(matmul_prefetch_shared)},
      {"matmul_2x2", tiled(matmul_2x2)},
      {"matmul_2x2_strided", tiled(matmul_2x2_strided)},
      {"matmul_rx_ry", by_results(matmul_rx_ry)},
      {"matmul_strided",
       [](const Arguments& x) { return matmul_strided(x.A_(), x.B_(), x.C_(), x.n, x.a, x.b); }},
      {"transpose_naive", transpose(transpose_naive)},
      {"transpose_tiled", transpose(transpose_tiled)},
      {"transpose_padded", transpose(transpose_padded)},
      {"transpose_diagonal", transpose(transpose_diagonal)},
      {"dgemm_global", dgemm(dgemm_global)},
      {"dgemm_shared", dgemm(dgemm_shared)},
      {"matmul_two_rows", plain(matmul_two_rows)},
      {"matmul_two_rows_transposed", plain(matmul_two_rows_transposed)},
      {"matmul_rank1", plain(matmul_rank1)},
#define ENTRY(how, stage, style, function) \
  {#style "." #function, how(others_##stage##_##style::function)},
      TILEWISE_OTHERS(ENTRY)
#undef ENTRY
  };
  return all;
}

struct Column {
  const char* name;
  std::uint64_t (*value)(const KernelProfile&, const core::GpuProfile&);
};

#define COUNTER(name)                                                               \
  {                                                                                 \
#name, [](const KernelProfile& p,                                               \
              const core::GpuProfile&) -> std::uint64_t { return p.counters.name; } \
  }
#define FOOTPRINT(column, name)                                                        \
  {                                                                                    \
#column, [](const KernelProfile& p,                                                \
                const core::GpuProfile&) -> std::uint64_t { return p.footprint.name; } \
  }

constexpr Column columns[] = {
    {"grid_x",
     [](const KernelProfile& p, const core::GpuProfile&) -> std::uint64_t {
       return p.launch.grid[0];
     }},
    {"grid_y",
     [](const KernelProfile& p, const core::GpuProfile&) -> std::uint64_t {
       return p.launch.grid[1];
     }},
    {"threads",
     [](const KernelProfile& p, const core::GpuProfile&) -> std::uint64_t {
       return std::uint64_t{p.launch.block[0]} * p.launch.block[1] * p.launch.block[2];
     }},
    {"shared_bytes",
     [](const KernelProfile& p, const core::GpuProfile& gpu) -> std::uint64_t {
       return p.static_shared_bytes + p.launch.dynamic_shared_bytes +
              model::arguments_in_shared(gpu, p.launch.argument_bytes);
     }},
    COUNTER(global_load_requests),
    COUNTER(global_load_sectors),
    COUNTER(global_load_transactions),
    COUNTER(global_load_bytes),
    COUNTER(global_store_requests),
    COUNTER(global_store_sectors),
    COUNTER(global_store_transactions),
    COUNTER(global_store_bytes),
    COUNTER(shared_load_requests),
    COUNTER(shared_load_wavefronts),
    COUNTER(shared_load_requests_merged),
    COUNTER(shared_load_wavefronts_merged),
    COUNTER(shared_store_requests),
    COUNTER(shared_store_wavefronts),
    COUNTER(barriers),
    COUNTER(shuffles),
    FOOTPRINT(block_load_sectors, load_sectors),
    FOOTPRINT(block_shared_along_x, shared_along_x),
    FOOTPRINT(block_shared_along_y, shared_along_y),
    FOOTPRINT(block_store_sectors, store_sectors),
    FOOTPRINT(block_load_lines, load_lines),
    FOOTPRINT(block_store_lines, store_lines),
    FOOTPRINT(block_load_intervals, load_intervals),
    FOOTPRINT(block_waiting_intervals, waiting_intervals),
    FOOTPRINT(block_store_rounds, store_rounds),
    FOOTPRINT(block_store_bytes, store_bytes),
};

}  // namespace

std::string model_counters_header() {
  std::string header;
  for (const Column& column : columns) {
    header += (header.empty() ? "" : ",") + std::string(column.name);
  }
  return header;
}

KernelProfile profile_of(const model::ReferenceRow& row) {
  const core::GpuProfile gpu = model::gpu_of(row);
  use_device(gpu);
  cudaDeviceReset();
  Arguments x{row.integer("m"), row.integer("n"), row.integer("k"),
              row.integer("a"), row.integer("b"), row.integer("c"),
              nullptr,          nullptr,          nullptr};
  const auto largest = static_cast<std::size_t>(std::max({x.m, x.n, x.k}));
  const bool single = !model::is_double_precision(row);
  const std::size_t bytes = largest * largest * (single ? sizeof(float) : sizeof(double));
  void *A = nullptr, *B = nullptr, *C = nullptr;
  for (void** matrix : {&A, &B, &C}) {
    if (x.k == 0 && matrix == &B) continue;  // a transpose
    if (cudaMalloc(matrix, bytes) != cudaSuccess)
      throw std::runtime_error(row.place() + ": memory");
  }
  x.A = A, x.B = B, x.C = C;
  watch({.counters = true, .sample = true});
  const cudaError_t launched = functions().at(row.text("function"))(x);
  const cudaError_t ended = cudaDeviceSynchronize();
  watch({});
  const std::vector<KernelProfile> profiles = take_profiles();
  if (launched != cudaSuccess || ended != cudaSuccess || profiles.size() != 1) {
    throw std::runtime_error(row.place() + ": " + row.text("function") + " cannot be counted");
  }
  return profiles[0];
}

std::string model_counters_line(const model::ReferenceRow& row) {
  const core::GpuProfile gpu = model::gpu_of(row);
  const KernelProfile profile = profile_of(row);
  std::ostringstream line;
  for (const Column& column : columns) {
    line << (&column == columns ? "" : ",") << column.value(profile, gpu);
  }
  return line.str();
}

}  // namespace tilewise::simt
