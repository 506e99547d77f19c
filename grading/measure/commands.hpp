/// \file
/// The commands of the command line that examine single calls, source lines and speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/cli/submission.hpp"
#include "grading/profile/predictions.hpp"

namespace tilewise::grading {

/// Runs a stage's tests on the simulator and prints to standard output which lines of its kernel
/// files they reached. Returns whether there was something to print; otherwise it has printed the
/// reason.
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool coverage(const Run& run);

/// The options of `tilewise profile`.
struct ProfileOptions : Run {
  std::vector<std::string> calls;  ///< for example "matmul_shared(n=1024, tile=32)"; at least one
  bool exhaustive = false;         ///< runs every block, rather than a sample that stands for all
  std::filesystem::path json;      ///< file for the JSON document of a single call; empty: none
  std::filesystem::path plot;      ///< SVG file for the roofline of the calls; empty: none
};

/// Runs calls of contract functions on the checked simulator and prints to standard output what
/// their kernels did. Returns whether there was something to print; otherwise it has printed the
/// reason.
/// @throws CannotGrade, BadCall; std::runtime_error for an unknown GPU or if Tilewise itself is
/// broken.
bool profile(const ProfileOptions& options);

/// The options of `tilewise predict`.
struct PredictOptions : Run {
  std::filesystem::path json;  ///< file for the JSON document; empty: none
  /// Is called with the predictions that were made, once they are printed.
  std::function<void(const StageInfo& stage, const std::vector<AnsweredPrediction>&)> on_answers;
};

/// Asks the learner on standard output to predict figures of a stage's kernels, reads one answer
/// per line from standard input, counts the figures, and prints both with the reason. It counts the
/// learner's own kernels, or the solution's while the learner's cannot be counted yet. Returns
/// whether there was something to count; otherwise it has printed the reason.
/// @throws CannotGrade if the input ends before the last answer, or if an answer is invalid and
/// does not come from a terminal; Interrupted
bool predict(const PredictOptions& options);

/// The options of `tilewise ptx`.
struct PtxOptions : Run {
  std::string kernel;  ///< shows kernels whose name contains this; empty: all
};

/// Compiles a stage's kernels with nvcc for the architecture of a GPU and prints beside each source
/// line the PTX that it became, and the SASS if nvdisasm is found. Returns whether the kernels
/// compiled; otherwise it has printed the reason.
/// @throws CannotGrade; std::runtime_error if there is no nvcc, no such kernel or no such GPU.
bool ptx(const PtxOptions& options);

/// The options of `tilewise trace`.
struct TraceOptions : Run {
  std::string call;  ///< for example "matmul_shared(n=16, tile=8)"; empty: the stage's own
  /// File for the page. Empty: trace.html, or no page if a figure is asked for.
  std::filesystem::path output;
  std::filesystem::path figure;  ///< file for the figure; empty: none
  std::string view = "matrices";
  std::string intervals;  ///< shown in the figure: "3" or "0-1"; empty: chosen automatically
  std::vector<std::string> threads;  ///< shown in the figure: "1,0"; empty: chosen automatically
};

/// Runs one call of a contract function on the checked simulator and writes the memory accesses of
/// its threads as a page, a figure, or both. Returns whether there was something to draw; otherwise
/// it has printed the reason.
/// @throws CannotGrade, CannotTrace, BadCall; std::runtime_error for an unknown GPU or if Tilewise
/// itself is broken.
bool trace(const TraceOptions& options);

/// The options of `tilewise occupancy`.
struct OccupancyOptions {
  std::vector<std::string> gpus = {core::default_gpu};
  std::string block;                    ///< "16x16"
  std::string results = "1x1";          ///< results per thread, along x and y
  int registers = 0;                    ///< per thread; 0: not known
  std::size_t shared = 0;               ///< bytes per block
  std::optional<std::uint64_t> blocks;  ///< in the grid
  std::filesystem::path json;           ///< file for the JSON document; empty: none
};

/// Prints to standard output how a launch fills the SMs of GPUs.
/// @throws CannotGrade if an option makes no sense or none of the named GPUs can run the launch;
/// std::runtime_error for an unknown GPU.
void occupancy(const OccupancyOptions& options);

/// The options of `lab bench`, which `lab report` shares.
struct BenchOptions : Run {
  std::vector<int> orders;        ///< empty: the backend's default orders
  std::string timing = "median";  ///< or "mean10", which also times ten calls as one
  std::string inputs = "random";  ///< "random", "linear" or "A.npy,B.npy"
  std::filesystem::path store;    ///< folder in which inputs and references are kept; empty: none
  bool total = false;             ///< also reports the time with copies to the GPU and back
  std::filesystem::path csv, json, plots;  ///< an empty path is not written; plots is a folder
};

/// Measures on a GPU or models on the simulator, with a progress bar on the terminal.
/// @throws CannotGrade if the request cannot be met
BenchReport measure(const BenchOptions& options);

/// Runs `lab bench`: measures, prints a table and writes files.
/// @return whether each kernel that the student has written could be timed and was right
bool bench(const BenchOptions& options);

/// The options of `lab report`.
struct ReportOptions {
  BenchOptions bench;  ///< what to measure
  /// File of `lab bench --json` to use instead of measuring; empty: measures.
  std::filesystem::path measurements;
  std::filesystem::path output = "report.html";
  /// Returns the student's predictions for a stage.
  std::function<std::vector<KeptPrediction>(const std::string& stage_id)> predictions_of;
};

/// Runs `lab report`: writes the laboratory report on the student's kernels, or on the solutions.
/// @return whether all calls of these kernels could be timed and were right
/// @throws CannotGrade, std::runtime_error if the request cannot be met
bool report(const ReportOptions& options);

}  // namespace tilewise::grading
