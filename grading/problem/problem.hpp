#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grading/problem/matrix.hpp"
#include "grading/problem/product_store.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// The matrices of a call, and the judgement of what comes back.
class Workload {
 public:
  virtual ~Workload() = default;

  /// Writes the matrices into memory shared with a worker: inputs as they are, outputs unwritten,
  /// and between rows that do not touch what no result may come from.
  /// @param memory holds bytes_in_memory(call)
  /// @return the call's arguments, which now lie there
  std::vector<Argument> place(const NamedCall& call, std::span<std::byte> memory) const;

  /// Whether the call's result, as it came back, is right.
  /// @param sampled some blocks only have run: elements that nobody wrote do not count
  /// @return nothing where that cannot be told of a part of the result
  virtual std::optional<bool> is_right(std::span<const Argument> arguments,
                                       std::span<const std::byte> memory, bool sampled) const = 0;

 protected:
  /// What the matrix of that name holds before the call, row after row without gaps; nothing: it is
  /// an output.
  virtual std::optional<std::span<const std::byte>> contents(const std::string& name) const = 0;
};

/// Memory shared with a worker that the matrices of a call take.
std::size_t bytes_in_memory(const NamedCall& call);

/// The matrix of that name among a call's arguments.
const BufferArgument& matrix_called(std::string_view name, std::span<const Argument> arguments);

/// Its shape.
MatrixShape shape_of(std::string_view name, const NamedCall& call);

template <typename T>
std::span<const std::byte> bytes_of(const Matrix<T>& matrix) {
  return std::as_bytes(std::span(matrix.values));
}

/// (rows, cols): what came back in a matrix of a call.
template <typename T>
Matrix<T> returned(std::string_view name, int rows, int cols, std::span<const Argument> arguments,
                   std::span<const std::byte> memory);

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

/// "product", "gemm", "transpose", "triangular_solve", "sum", "gemv" or "softmax"; "": one that
/// nothing is known of, whose inputs are random and whose results are not judged.
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
const Problem& gemv_problem();
const Problem& softmax_problem();

}  // namespace tilewise::grading
