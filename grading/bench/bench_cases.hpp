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

/// What `lab bench` runs, and whether there is room for its matrices.
namespace tilewise::grading {

/// The call of an earlier stage to compare with.
struct PreviousCall {
  std::string stage;
  std::string call;
};

/// One contract function with one choice of its block, as `lab bench` runs it.
struct BenchCase {
  std::string stage;
  std::string function;
  std::string block;  ///< as BenchRow::block
  const Problem* problem = &problem_called("");

  /// The call for matrices of order n, as read_call() takes it.
  std::string call(int n) const;

  /// Nothing where there is none, or where it would take far too long on that backend.
  std::optional<PreviousCall> previous(int n, Backend backend) const;

  /// How often theory says that its threads go to global memory; nothing where it depends on
  /// choices that are the kernel's author's.
  std::optional<model::ElementAccesses> accesses(int n) const;

  std::string call_of_n;
  std::string previous_stage = {}, previous_call_of_n = {};  ///< both empty: none
  std::map<Backend, int> previous_largest = {};
  std::string one_result = {};  ///< the block with one result a thread; empty: there is no choice
  bool is_naive = false;
  std::optional<model::Tiling> tiling = {};
};

/// What `lab bench` runs of a stage.
struct StageCases {
  std::map<Backend, std::vector<int>> orders;  ///< the usual ones
  std::vector<BenchCase> cases;
  std::vector<KernelBeside> beside;  ///< whose folders are there, by name
};

/// What every stage.json says of it, by stage: "orders", "bench" of each function, and what is to
/// be said of the kernels whose folders lie in "beside".
/// @param root  of the course
/// @throws std::runtime_error naming the file and what is wrong
std::map<std::string, StageCases> load_bench_cases(const std::filesystem::path& root);

/// "51.5 GB", 10^9 bytes each; "12 MB" below one.
std::string gigabytes(std::size_t bytes);

/// What the matrices of a call take: "51.5 GB (3 matrices of 17.2 GB)".
std::string memory_of(const NamedCall& call);

/// Bytes that this machine has left; nothing where it does not tell.
std::optional<std::size_t> available_memory();

/// The same from what /proc/meminfo holds.
std::optional<std::size_t> available_in(std::string_view meminfo);

/// What a contract function computes, by its stage's stage.json; problem_called("") where that does
/// not say.
const Problem& problem_of(const std::filesystem::path& root, const std::string& stage,
                          const std::string& function);

}  // namespace tilewise::grading
