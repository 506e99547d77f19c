// A * X = alpha * B, A lower triangular, X over B.
#include <utility>

#include "grading/problem/dtrsm_reference.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/problem/problem.hpp"

namespace tilewise::grading {
namespace {

using Bytes = std::span<const std::byte>;

class SolveWorkload : public Workload {
 public:
  explicit SolveWorkload(TriangularSystem system) : system_(std::move(system)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    // B stands where X is to come, so that nobody can tell which elements are solved.
    if (sampled) return std::nullopt;
    const Matrix<double>& B = system_.B;
    return check_solution(system_, returned<double>("B", B.rows, B.cols, arguments, memory))
        .all_right();
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    return bytes_of(name == "A" ? system_.A : system_.B);
  }

 private:
  TriangularSystem system_;
};

class TriangularSolveProblem : public Problem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path&) const override {
    const MatrixShape B = shape_of("B", call);
    Random random = seeded_random(inputs.seed, "triangular system");
    TriangularSystem system{.A = random_lower_triangle(static_cast<int>(B.rows), random), .B = {}};
    system.B = random_double_matrix(static_cast<int>(B.rows), static_cast<int>(B.cols), random);
    for (const Argument& argument : call.arguments) {
      if (const auto* alpha = std::get_if<double>(&argument)) system.alpha = *alpha;
    }
    return std::make_unique<SolveWorkload>(std::move(system));
  }

  std::string obstacle_to(const InputChoice& inputs) const override {
    if (inputs.kind == InputChoice::Kind::random) return "";
    return "triangular systems are solved with random matrices only, which are well-conditioned";
  }

  bool overwrites_inputs() const override { return true; }
  std::size_t doubles_to_judge() const override { return 6; }  // the residual's terms
  BlasRoutine blas_routine() const override { return BlasRoutine::trsm; }
};

}  // namespace

const Problem& triangular_solve_problem() {
  static const TriangularSolveProblem problem;
  return problem;
}

}  // namespace tilewise::grading
