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

/// Whose kernel a figure is of. The libraries: cuBLAS on a GPU, OpenBLAS on the CPU where there is
/// no cuBLAS, and for the transpose a copy.
struct Contender {
  enum class Kind { student, solution, previous_stage, cublas, openblas, copy, beside };

  Kind kind = Kind::solution;
  std::string name = "solution";  ///< as in files

  /// A kernel of grading/stages/ID/beside, by the name of its folder. It runs on both backends.
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

/// What the table says of a kernel beside a stage's own.
struct KernelBeside {
  std::string name;     ///< of its folder
  std::string heading;  ///< of its column
  std::string what;     ///< "the kernel in the form that was published"; empty: nothing
  bool copies = false;  ///< it does not compute what the contract asks for
};

/// What a call has to do with global memory, in elements that its threads load and store.
struct ElementTraffic {
  double loads = 0;
  double stores = 0;
};

/// What limits how many blocks an SM holds, for one kernel.
struct OccupancyFigures {
  int threads_per_block = 0;
  int registers_per_thread = 0;
  bool registers_from_nvcc = false;  ///< else estimated
  std::size_t shared_bytes_per_block = 0;
  // Blocks that an SM holds by each of its resources alone, and by all.
  int by_warps = 0, by_blocks = 0, by_registers = 0, by_shared = 0;
  int active_blocks = 0;
  double percent = 0;
  std::string limited_by;  ///< "registers"
};

/// One call as measured or modelled.
struct BenchRow {
  std::string stage;     ///< "06_work_rx_ry"
  std::string function;  ///< "matmul_rx_ry"
  std::string block;     ///< the choice that the call makes: "16x16", "tile 16, 4x4"; empty: none
  Contender contender;
  int n = 0;         ///< the order; rows and columns of a transpose
  std::string call;  ///< "matmul_rx_ry(n=1024, tile=16, rx=4, ry=4)"

  std::string problem;       ///< why it has no figures: "cannot be compiled: ..."; empty otherwise
  bool not_written = false;  ///< that is why: the files are as they were handed out
  bool excused = false;      ///< the problem is another one that is no fault of the kernel's
  double ms = 0;             ///< median of a call
  /// How far the true median may be from that, in 95% of all cases; of what ran on the CPU, beside
  /// others' work.
  std::optional<double> uncertainty_pct = {};
  /// Mean of a call, of ten that are timed as one, where that is asked for and measured.
  std::optional<double> mean_ms;
  /// Over the same function with one result a thread, of the same contender, tile and order.
  std::optional<double> speedup;
  std::optional<double> total_ms = {};  ///< with copies to the GPU and back, where asked for
  double rate = 0;                      ///< in `unit`
  std::string unit;                     ///< "GFLOPS" or "GB/s"
  std::optional<bool> right;   ///< the result against the CPU's; nothing where nobody looked
  std::optional<double> gips;  ///< instructions of warps, 10^9 a second
  bool gips_measured = false;  ///< by Nsight Compute; else modelled
  std::string limiter;         ///< where modelled

  // Of matrix products; the simulator counts.
  std::optional<ElementTraffic> counted;
  std::optional<ElementTraffic> by_formula;
  std::optional<double> cgma;  ///< operations an element of global memory, as counted
  std::optional<double> cgma_by_formula;
  std::optional<OccupancyFigures> occupancy;  ///< of the kernel that takes longest
  std::optional<model::KernelMetrics> metrics;
};

/// What `lab bench` found.
struct BenchReport {
  bool modelled = true;                   ///< on the simulator; else measured on a GPU
  std::string device;                     ///< "gtx1080 (modelled)" or the card's own name
  std::string command;                    ///< that was given, to run it again
  std::string date;                       ///< "2026-11-21"
  std::string inputs;                     ///< "random, seed 17", "linear", "A.npy, B.npy"
  core::GpuProfile gpu;                   ///< modelled, or else the nearest known to the card
  std::vector<BenchRow> rows;             ///< by stage, function, block, contender and n
  std::vector<KernelBeside> beside = {};  ///< all that rows are of; not in the document
};

/// Whether nothing is wrong with what the student has written: what was called, ran and was right.
bool is_sound(const BenchReport& report);

/// "gtx1080 (modelled)", "NVIDIA H200 (measured)".
std::string where_taken(const BenchReport& report);

/// The report in the schema tilewise/bench/v1.
nlohmann::ordered_json bench_document(const BenchReport& report);

/// Reads what bench_document() wrote.
/// @throws std::runtime_error saying what is wrong with it, and where
BenchReport read_bench_report(const nlohmann::json& document);

}  // namespace tilewise::grading
