#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/matmul_counts.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/builder/builder.hpp"
#include "grading/problem/problem.hpp"
#include "grading/profile/named_call.hpp"

/// The calls that `lab bench` runs, and whether there is room for their matrices.
namespace tilewise::grading {

/// A call of an earlier stage to compare with.
struct PreviousCall {
  std::string stage;
  std::string call;
};

/// A contract function with one choice of its block, as `lab bench` runs it.
struct BenchCase {
  std::string stage;
  std::string function;
  std::string block;  ///< like BenchRow::block
  const Problem* problem = &problem_called("");

  /// Returns the call for matrices of order n, in the form that read_call() reads.
  std::string call(int n) const;

  /// Returns the earlier stage's call, or nothing if there is none or it would take far too long on
  /// that backend.
  std::optional<PreviousCall> previous(int n, Backend backend) const;

  /// Returns how often the threads access global memory in theory, or nothing if that depends on
  /// choices of the kernel's author.
  std::optional<model::ElementAccesses> accesses(int n) const;

  std::string call_of_n;
  std::string previous_stage = {}, previous_call_of_n = {};  ///< both empty: none
  std::map<Backend, int> previous_largest = {};
  /// The block with one result per thread; empty: there is no choice.
  std::string one_result = {};
  bool is_naive = false;
  std::optional<model::Tiling> tiling = {};
};

/// The calls of a stage that `lab bench` runs.
struct StageCases {
  std::map<Backend, std::vector<int>> orders;  ///< the defaults
  std::vector<BenchCase> cases;
  std::vector<KernelBeside> beside;  ///< the kernels whose folders exist, by name
};

/// Reads from every stage.json, by stage, the "orders", the "bench" of each function, and the
/// descriptions of the kernels in the folder "beside".
/// @param root  root folder of the course
/// @throws std::runtime_error naming the file and what is wrong
std::map<std::string, StageCases> load_bench_cases(const std::filesystem::path& root);

/// Formats bytes as "51.5 GB", of 10^9 bytes each, or as "12 MB" below one gigabyte.
std::string gigabytes(std::size_t bytes);

/// Describes the memory that a call's matrices take: "51.5 GB (3 matrices of 17.2 GB)".
std::string memory_of(const NamedCall& call);

/// Returns the bytes of memory that this machine has available, or nothing if it does not say.
std::optional<std::size_t> available_memory();

/// Reads the same from the text of /proc/meminfo.
std::optional<std::size_t> available_in(std::string_view meminfo);

/// Returns what a contract function computes according to its stage.json, or problem_called("") if
/// that does not say.
const Problem& problem_of(const std::filesystem::path& root, const std::string& stage,
                          const std::string& function);

}  // namespace tilewise::grading
