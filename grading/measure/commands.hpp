/// \file
/// The commands that look at single calls, at lines and at speed, as the command line asks for
/// them.
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
/// files they reached. Returns whether there was something to print; else the reason was printed.
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool coverage(const Run& run);

/// `tilewise profile` as asked for on the command line.
struct ProfileOptions : Run {
  std::vector<std::string> calls;  ///< "matmul_shared(n=1024, tile=32)"; at least one
  bool exhaustive = false;         ///< run every block rather than a few that stand for all
  std::filesystem::path json;      ///< of one call; empty: none
  std::filesystem::path plot;      ///< the calls' roofline as SVG; empty: none
};

/// Runs calls of contract functions on the checked simulator and prints what their kernels did to
/// standard output. Returns whether there was something to print; else the reason was printed.
/// @throws CannotGrade, BadCall, and std::runtime_error for an unknown GPU or where Tilewise itself
/// is broken.
bool profile(const ProfileOptions& options);

/// `tilewise predict` as asked for on the command line.
struct PredictOptions : Run {
  std::filesystem::path json;  ///< empty: none
  /// Gets each prediction that was made, once it is printed.
  std::function<void(const StageInfo& stage, const std::vector<AnsweredPrediction>&)> on_answers;
};

/// Asks on standard output what a stage's kernels will be counted to do, reads an answer a line
/// from standard input, counts, and prints both with the reason. A learner's own kernels are
/// counted, or the solution's as long as these cannot be. Returns whether there was something to
/// count; else the reason was printed.
/// @throws CannotGrade where the input ends before the last answer, or has one that is none and
/// comes from no terminal; Interrupted
bool predict(const PredictOptions& options);

/// `tilewise ptx` as asked for on the command line.
struct PtxOptions : Run {
  std::string kernel;  ///< what its name has in it; empty: all
};

/// Compiles a stage's kernels with nvcc for the like of a GPU and prints beside each line of source
/// what it became, as PTX, and as SASS where nvdisasm is found. Returns whether they compiled; else
/// the reason was printed.
/// @throws CannotGrade, std::runtime_error where there is no nvcc, no such kernel or no such GPU.
bool ptx(const PtxOptions& options);

/// `tilewise trace` as asked for on the command line.
struct TraceOptions : Run {
  std::string call;  ///< "matmul_shared(n=16, tile=8)"; empty: the stage's own
  /// Of the page; empty: trace.html, or none where there is a figure.
  std::filesystem::path output;
  std::filesystem::path figure;  ///< empty: none
  std::string view = "matrices";
  std::string intervals;             ///< of the figure: "3" or "0-1"; empty: chosen
  std::vector<std::string> threads;  ///< of the figure: "1,0"; empty: chosen
};

/// Runs one call of a contract function on the checked simulator and writes what its threads did in
/// memory as a page, a figure, or both. Returns whether there was something to draw; else the
/// reason was printed.
/// @throws CannotGrade, CannotTrace, BadCall, and std::runtime_error for an unknown GPU or where
/// Tilewise itself is broken.
bool trace(const TraceOptions& options);

/// `tilewise occupancy` as asked for on the command line.
struct OccupancyOptions {
  std::vector<std::string> gpus = {core::default_gpu};
  std::string block;                    ///< "16x16"
  std::string results = "1x1";          ///< of a thread
  int registers = 0;                    ///< a thread; 0: not known
  std::size_t shared = 0;               ///< bytes a block
  std::optional<std::uint64_t> blocks;  ///< of the grid
  std::filesystem::path json;           ///< empty: none
};

/// Prints how a launch fills the SMs of GPUs to standard output.
/// @throws CannotGrade where an option makes no sense or no GPU named can run the launch;
/// std::runtime_error for an unknown GPU.
void occupancy(const OccupancyOptions& options);

/// What `lab bench` and `lab report` are asked for.
struct BenchOptions : Run {
  std::vector<int> orders;                 ///< empty: the usual ones of the backend
  std::string timing = "median";           ///< or "mean10", ten calls timed as one, beside it
  std::string inputs = "random";           ///< "random", "linear" or "A.npy,B.npy"
  std::filesystem::path store;             ///< folder that keeps inputs and references; empty: none
  bool total = false;                      ///< the time with copies to the GPU and back, too
  std::filesystem::path csv, json, plots;  ///< empty: not written; plots: a folder
};

/// Measures or models, with a progress bar on the terminal.
/// @throws CannotGrade where the request cannot be met
BenchReport measure(const BenchOptions& options);

/// `lab bench`: measures, prints a table, writes files.
/// @return whether each of the student's kernels that has been written could be timed and was right
bool bench(const BenchOptions& options);

/// What `lab report` is asked for.
struct ReportOptions {
  BenchOptions bench;                  ///< what to measure
  std::filesystem::path measurements;  ///< of `lab bench --json`, instead; empty: measures
  std::filesystem::path output = "report.html";
  /// What the student predicted of a stage.
  std::function<std::vector<KeptPrediction>(const std::string& stage_id)> predictions_of;
};

/// `lab report`: writes the laboratory report of the student's kernels, or of the solutions.
/// @return whether all calls of these could be timed and were right
/// @throws CannotGrade, std::runtime_error where the request cannot be met
bool report(const ReportOptions& options);

}  // namespace tilewise::grading
