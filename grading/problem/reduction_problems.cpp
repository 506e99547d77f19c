// The problems y = alpha * A * x + beta * y, and softmax of each row of a matrix.
#include <cstddef>
#include <utility>
#include <vector>

#include "grading/problem/inputs.hpp"
#include "grading/problem/problem.hpp"
#include "grading/problem/reductions.hpp"

namespace tilewise::grading {
namespace {

using Bytes = std::span<const std::byte>;

/// Writes the expected values to the elements that nobody has written. Returns whether any was
/// written.
bool fill_in_unwritten(Matrix<float>& found, const Matrix<double>& expected) {
  bool any = false;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    if (is_unwritten(found.values[i])) {
      found.values[i] = static_cast<float>(expected.values[i]);
    } else {
      any = true;
    }
  }
  return any;
}

/// Returns the real numbers among a call's arguments: alpha and beta.
std::vector<float> floats_of(const NamedCall& call) {
  std::vector<float> scalars;
  for (const Argument& argument : call.arguments) {
    if (const auto* scalar = std::get_if<double>(&argument)) {
      scalars.push_back(static_cast<float>(*scalar));
    }
  }
  return scalars;
}

class GemvWorkload : public Workload {
 public:
  explicit GemvWorkload(GemvInputs inputs) : inputs_(std::move(inputs)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    // y held values before the call, so it does not show which elements were written.
    if (sampled && inputs_.beta != 0) return std::nullopt;
    const ReferenceProduct reference = multiply_add(inputs_);
    Matrix<float> y = returned<float>("y", 1, inputs_.y.rows, arguments, memory);
    std::swap(y.rows, y.cols);
    if (sampled && !fill_in_unwritten(y, reference.product)) return false;
    return compare(y, reference).all_right();
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    if (name == "A") return bytes_of(inputs_.A);
    if (name == "x") return bytes_of(inputs_.x);
    return inputs_.beta == 0 ? std::nullopt : std::optional(bytes_of(inputs_.y));
  }

 private:
  GemvInputs inputs_;
};

class GemvProblem : public Problem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path&) const override {
    const MatrixShape A = shape_of("A", call);
    const int m = static_cast<int>(A.rows), n = static_cast<int>(A.cols);
    const std::vector<float> scalars = floats_of(call);
    Random random = seeded_random(inputs.seed, "gemv");
    return std::make_unique<GemvWorkload>(GemvInputs{.alpha = scalars.at(0),
                                                     .A = random_matrix(m, n, random),
                                                     .x = random_matrix(n, 1, random),
                                                     .beta = scalars.at(1),
                                                     .y = random_matrix(m, 1, random)});
  }

  std::size_t doubles_to_judge() const override { return 2; }  // A and |A|, for the reference
};

class SoftmaxWorkload : public Workload {
 public:
  explicit SoftmaxWorkload(Matrix<float> in) : in_(std::move(in)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    Matrix<float> out = returned<float>("out", in_.rows, in_.cols, arguments, memory);
    if (sampled && !fill_in_unwritten(out, softmax_of(in_))) return false;
    return compare_softmax(in_, out).all_right();
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    if (name == "in") return bytes_of(in_);
    return std::nullopt;
  }

 private:
  Matrix<float> in_;
};

class SoftmaxProblem : public Problem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path&) const override {
    const MatrixShape in = shape_of("in", call);
    Random random = seeded_random(inputs.seed, "softmax");
    return std::make_unique<SoftmaxWorkload>(
        random_matrix(static_cast<int>(in.rows), static_cast<int>(in.cols), random));
  }

  std::size_t doubles_to_judge() const override { return 1; }
};

}  // namespace

const Problem& gemv_problem() {
  static const GemvProblem problem;
  return problem;
}

const Problem& softmax_problem() {
  static const SoftmaxProblem problem;
  return problem;
}

}  // namespace tilewise::grading
