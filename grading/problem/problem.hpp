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

/// Holds the matrices of a call, and judges the result that comes back.
class Workload {
 public:
  virtual ~Workload() = default;

  /// Writes the matrices into memory shared with a worker. Inputs are written as they are, outputs
  /// are marked as unwritten, and gaps between rows are filled with a NaN from which no result may
  /// come.
  /// @param memory has room for bytes_in_memory(call)
  /// @return the call's arguments, which now refer to that memory
  std::vector<Argument> place(const NamedCall& call, std::span<std::byte> memory) const;

  /// Whether the call's result, as it came back, is right.
  /// @param sampled whether only some blocks have run; then elements that nobody wrote do not count
  /// @return nothing if a part of the result is not enough to tell
  virtual std::optional<bool> is_right(std::span<const Argument> arguments,
                                       std::span<const std::byte> memory, bool sampled) const = 0;

 protected:
  /// Returns what the matrix of that name holds before the call, row after row without gaps.
  /// Returns nothing for an output.
  virtual std::optional<std::span<const std::byte>> contents(const std::string& name) const = 0;
};

/// Returns how many bytes of memory shared with a worker the matrices of a call take.
std::size_t bytes_in_memory(const NamedCall& call);

/// Returns the matrix of that name among a call's arguments.
const BufferArgument& matrix_called(std::string_view name, std::span<const Argument> arguments);

/// Returns the shape of the matrix of that name.
MatrixShape shape_of(std::string_view name, const NamedCall& call);

template <typename T>
std::span<const std::byte> bytes_of(const Matrix<T>& matrix) {
  return std::as_bytes(std::span(matrix.values));
}

/// Returns what came back in a matrix of a call, as (rows, cols).
template <typename T>
Matrix<T> returned(std::string_view name, int rows, int cols, std::span<const Argument> arguments,
                   std::span<const std::byte> memory);

/// The BLAS routine that solves a problem.
enum class BlasRoutine { none, gemm, trsm };

/// An element of an input.
struct InputElement {
  const char* matrix;
  int row, col;
};

/// What a function computes, in whatever way. A stage.json names the problem of each function; the
/// problem provides the matrices for calls of it and judges their results.
class Problem {
 public:
  virtual ~Problem() = default;

  /// Makes the matrices for a call. There must be no obstacle_to() it.
  /// @param store  folder that keeps large matrices from run to run; empty: nothing is kept
  /// @throws std::runtime_error if inputs cannot be read
  virtual std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                         const std::filesystem::path& store) const = 0;

  /// Says why the problem cannot be posed with such inputs; empty if it can.
  virtual std::string obstacle_to(const InputChoice& inputs) const;

  /// Whether the result takes the place of an input, so that each call needs the input anew.
  virtual bool overwrites_inputs() const { return false; }

  /// How many numbers in double precision it takes to pose the problem and judge its result, for
  /// each element of the largest matrix.
  virtual std::size_t doubles_to_judge() const { return 0; }

  virtual BlasRoutine blas_routine() const { return BlasRoutine::none; }

  /// The elements of inputs that the thread that stores an element of the result reads in the usual
  /// ways to solve the problem. Empty where threads work together on an element.
  virtual std::vector<InputElement> elements_behind(const NamedCall&, int /*row*/,
                                                    int /*col*/) const {
    return {};
  }
};

/// Returns the problem of that name: "product", "gemm", "transpose", "triangular_solve", "sum",
/// "gemv" or "softmax". The name "" stands for a problem of which nothing is known, whose inputs
/// are random and whose results are not judged.
/// @throws std::invalid_argument naming the problems that there are
const Problem& problem_called(std::string_view name);

/// Returns how many bytes of this machine's memory it takes to pose a problem and judge its result.
std::size_t bytes_to_judge(const Problem& problem, const NamedCall& call);

// The problems that there are.
const Problem& product_problem();
const Problem& gemm_problem();
const Problem& transpose_problem();
const Problem& triangular_solve_problem();
const Problem& sum_problem();
const Problem& gemv_problem();
const Problem& softmax_problem();

}  // namespace tilewise::grading
