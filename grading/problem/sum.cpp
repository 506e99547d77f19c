// sum = x[0] + x[1] + ..., a reduction, in any order of the additions.
#include <utility>

#include "grading/problem/inputs.hpp"
#include "grading/problem/problem.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {
namespace {

using Bytes = std::span<const std::byte>;

class SumWorkload : public Workload {
 public:
  explicit SumWorkload(Matrix<float> x) : x_(std::move(x)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    if (sampled) return std::nullopt;  // some blocks' part of it is any number
    // No rounding to allow for: see whole_numbers(). NaN is wrong.
    return returned<float>("sum", 1, 1, arguments, memory)(0, 0) == sum_of(x_);
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    if (name == "x") return bytes_of(x_);
    return std::nullopt;
  }

 private:
  Matrix<float> x_;
};

class SumProblem : public Problem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path&) const override {
    const MatrixShape x = shape_of("x", call);
    Random random = seeded_random(inputs.seed, "sum");
    return std::make_unique<SumWorkload>(whole_numbers(static_cast<int>(x.rows * x.cols), random));
  }
};

}  // namespace

const Problem& sum_problem() {
  static const SumProblem problem;
  return problem;
}

}  // namespace tilewise::grading
