#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "grading/problem/input_choice.hpp"
#include "grading/problem/workload.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// What BLAS has for a problem.
enum class BlasRoutine { none, gemm, trsm };

/// What a function computes, whatever way it goes. A stage.json names the problem of each function;
/// whoever calls one has matrices for it and the judgement of its result from here.
class Problem {
 public:
  virtual ~Problem() = default;

  /// Matrices for a call, where nothing is in the way.
  /// @param store  keeps large ones from run to run; empty: nothing is kept
  /// @throws std::runtime_error where inputs cannot be read
  virtual std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                         const std::filesystem::path& store) const = 0;

  /// Why it cannot be posed with such inputs; empty where it can.
  virtual std::string obstacle_to(const InputChoice& inputs) const;

  /// Whether the result takes the place of an input, which each call needs anew.
  virtual bool overwrites_inputs() const { return false; }

  /// Numbers in double precision for each element of the largest matrix that posing it and judging
  /// its result take.
  virtual std::size_t doubles_to_judge() const { return 0; }

  virtual BlasRoutine blas_routine() const { return BlasRoutine::none; }
};

/// "product", "gemm", "transpose", "triangular_solve" or "sum"; "": one that nothing is known of,
/// whose inputs are random and whose results are not judged.
/// @throws std::invalid_argument naming those that there are
const Problem& problem_called(std::string_view name);

/// Memory of this machine that posing a problem and judging its result takes.
std::size_t bytes_to_judge(const Problem& problem, const NamedCall& call);

// Those that there are, one a file.
const Problem& product_problem();
const Problem& gemm_problem();
const Problem& transpose_problem();
const Problem& triangular_solve_problem();
const Problem& sum_problem();

}  // namespace tilewise::grading
