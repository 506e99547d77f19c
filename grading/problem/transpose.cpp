#include <stdexcept>
#include <utility>

#include "grading/problem/inputs.hpp"
#include "grading/problem/npy.hpp"
#include "grading/problem/problem.hpp"

namespace tilewise::grading {
namespace {

using Bytes = std::span<const std::byte>;

class TransposeWorkload : public Workload {
 public:
  explicit TransposeWorkload(Matrix<float> in) : in_(std::move(in)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    const BufferArgument& out = matrix_called("out", arguments);
    const auto* first = reinterpret_cast<const float*>(memory.data() + out.offset);
    bool any = false;
    for (int row = 0; row < in_.cols; ++row) {
      for (int col = 0; col < in_.rows; ++col) {
        const float found = first[std::size_t(row) * in_.rows + col];
        if (sampled && is_unwritten(found)) continue;
        any = true;
        if (found != in_(col, row)) return false;  // NaN is wrong
      }
    }
    return any;
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    if (name == "in") return bytes_of(in_);
    return std::nullopt;
  }

 private:
  Matrix<float> in_;
};

Matrix<float> matrix_to_transpose(const InputChoice& inputs, int rows, int cols) {
  switch (inputs.kind) {
    case InputChoice::Kind::random: {
      Random random = seeded_random(inputs.seed, "transpose");
      return distinct_matrix(rows, cols, random);
    }
    case InputChoice::Kind::linear: {
      Matrix<float> in(rows, cols);
      for (std::size_t i = 0; i < in.values.size(); ++i) in.values[i] = static_cast<float>(i);
      return in;
    }
    case InputChoice::Kind::files:
      return read_npy<float>(inputs.A);
  }
  throw std::logic_error("no choice of inputs");
}

class TransposeProblem : public Problem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path&) const override {
    const MatrixShape in = shape_of("in", call);
    return std::make_unique<TransposeWorkload>(
        matrix_to_transpose(inputs, static_cast<int>(in.rows), static_cast<int>(in.cols)));
  }

  std::string obstacle_to(const InputChoice&) const override { return ""; }
};

}  // namespace

const Problem& transpose_problem() {
  static const TransposeProblem problem;
  return problem;
}

}  // namespace tilewise::grading
