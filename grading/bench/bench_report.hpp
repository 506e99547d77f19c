#pragma once

#include <compare>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/model/kernel_metrics.hpp"

namespace tilewise::grading {

/// Says whose kernel was measured. The libraries are cuBLAS on a GPU, and OpenBLAS on the CPU if
/// there is no cuBLAS; for the transpose it is a copy.
struct Contender {
  enum class Kind { student, solution, previous_stage, cublas, openblas, copy, beside };

  Kind kind = Kind::solution;
  std::string name = "solution";  ///< the name used in files

  /// A kernel of grading/stages/ID/beside, named by its folder. It runs on both backends.
  static Contender beside(std::string name) { return {Kind::beside, std::move(name)}; }

  auto operator<=>(const Contender&) const = default;

  static const Contender student, solution, previous_stage, cublas, openblas, copy;
};

inline const Contender Contender::student{Kind::student, "student"};
inline const Contender Contender::solution{Kind::solution, "solution"};
inline const Contender Contender::previous_stage{Kind::previous_stage, "previous"};
inline const Contender Contender::cublas{Kind::cublas, "cublas"};
inline const Contender Contender::openblas{Kind::openblas, "openblas"};
inline const Contender Contender::copy{Kind::copy, "copy"};

/// How the table describes a kernel that is compared with the stage's own.
struct KernelBeside {
  std::string name;     ///< the folder's name
  std::string heading;  ///< the column's heading
  std::string what;     ///< description: "the kernel in the form that was published"; empty: none
  bool copies = false;  ///< the kernel does not compute what the contract asks for
};

/// A call's accesses to global memory, in elements that its threads load and store.
struct ElementTraffic {
  double loads = 0;
  double stores = 0;
};

/// The limits on how many blocks of one kernel an SM holds.
struct OccupancyFigures {
  int threads_per_block = 0;
  int registers_per_thread = 0;
  bool registers_from_nvcc = false;  ///< otherwise estimated
  std::size_t shared_bytes_per_block = 0;
  // The number of blocks that fit on an SM by each resource alone, and by all together.
  int by_warps = 0, by_blocks = 0, by_registers = 0, by_shared = 0;
  int active_blocks = 0;
  double percent = 0;
  std::string limited_by;  ///< "registers"
};

/// One call, measured or modelled.
struct BenchRow {
  std::string stage;     ///< "06_work_rx_ry"
  std::string function;  ///< "matmul_rx_ry"
  std::string block;     ///< the call's block: "16x16", "tile 16, 4x4"; empty: there is no choice
  Contender contender;
  int n = 0;         ///< the matrices' order; rows and columns of a transpose
  std::string call;  ///< "matmul_rx_ry(n=1024, tile=16, rx=4, ry=4)"

  /// Why there are no figures: "cannot be compiled: ..."; empty otherwise.
  std::string problem;
  bool not_written = false;  ///< the problem is that the files are as they were handed out
  bool excused = false;      ///< the problem is another one, and not the kernel's fault
  double ms = 0;             ///< median time of a call
  /// The 95% confidence bound on the error of that median; for calls on the CPU only, which other
  /// processes disturb.
  std::optional<double> uncertainty_pct = {};
  /// Mean time of a call, of ten calls timed as one, if that is asked for and measured.
  std::optional<double> mean_ms;
  /// Speed-up over the same function with one result per thread, with the same contender, tile and
  /// order.
  std::optional<double> speedup;
  std::optional<double> total_ms = {};  ///< time with copies to the GPU and back, if asked for
  double rate = 0;                      ///< in `unit`
  std::string unit;                     ///< "GFLOPS" or "GB/s"
  /// Whether the result agrees with the CPU's; nothing if it was not checked.
  std::optional<bool> right;
  std::optional<double> gips;  ///< 10^9 warp instructions per second
  bool gips_measured = false;  ///< measured by Nsight Compute; otherwise modelled
  std::string limiter;         ///< what limits the speed, if modelled

  // The following are for matrix products, from the simulator's counts.
  std::optional<ElementTraffic> counted;
  std::optional<ElementTraffic> by_formula;
  std::optional<double> cgma;  ///< operations per element of global memory, as counted
  std::optional<double> cgma_by_formula;
  std::optional<OccupancyFigures> occupancy;  ///< for the kernel that takes longest
  std::optional<model::KernelMetrics> metrics;
};

/// The results of `lab bench`.
struct BenchReport {
  bool modelled = true;  ///< on the simulator; otherwise measured on a GPU
  std::string device;    ///< "gtx1080 (modelled)" or the card's own name
  std::string command;   ///< the command that repeats the run
  std::string date;      ///< "2026-11-21"
  std::string inputs;    ///< "random, seed 17", "linear", "A.npy, B.npy"
  /// The modelled GPU, or the known GPU nearest to the card.
  core::GpuProfile gpu;
  std::vector<BenchRow> rows;  ///< by stage, function, block, contender and n
  /// The kernels beside that have rows; not in the document.
  std::vector<KernelBeside> beside = {};
};

/// Whether all kernels that the student has written ran and gave right results.
bool is_sound(const BenchReport& report);

/// Returns the device and how it was used: "gtx1080 (modelled)", "NVIDIA H200 (measured)".
std::string where_taken(const BenchReport& report);

/// Returns the report in the schema tilewise/bench/v1.
nlohmann::ordered_json bench_document(const BenchReport& report);

/// Reads a document of bench_document().
/// @throws std::runtime_error saying what is wrong with the document, and where
BenchReport read_bench_report(const nlohmann::json& document);

}  // namespace tilewise::grading
