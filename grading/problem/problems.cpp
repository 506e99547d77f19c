#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/base/language.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/problem/problem.hpp"
#include "grading/problem/product_store.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

// The problems C = A * B, and BLAS's C = alpha * A * B + beta * C with gaps between rows.
namespace {

using Bytes = std::span<const std::byte>;

// A reference has a product and a magnitude in double precision, and while they are computed, A and
// B as well.
constexpr std::size_t doubles_of_a_product = 4;

/// Whether C agrees with the reference. If only some blocks have run, only elements that somebody
/// has written count, and there must be at least one.
template <typename T>
bool is_product(Matrix<T> C, const ReferenceProduct& reference, Roundings roundings, bool sampled) {
  if (sampled) {
    std::size_t missing = 0;
    for (std::size_t i = 0; i < C.values.size(); ++i) {
      if (!is_unwritten(C.values[i])) continue;
      C.values[i] = static_cast<T>(reference.product.values[i]);
      ++missing;
    }
    if (missing == C.values.size()) return false;
  }
  return compare(C, reference, roundings).all_right();
}

/// A product of square matrices of one order.
template <typename T>
class ProductWorkload : public Workload {
 public:
  ProductWorkload(ProductInputs<T> inputs, Roundings roundings)
      : inputs_(std::move(inputs)), roundings_(roundings) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    const int n = inputs_.A.rows;
    return is_product(returned<T>("C", n, n, arguments, memory), inputs_.reference, roundings_,
                      sampled);
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    if (name == "A") return bytes_of(inputs_.A);
    if (name == "B") return bytes_of(inputs_.B);
    return std::nullopt;
  }

 private:
  ProductInputs<T> inputs_;
  Roundings roundings_;
};

/// A product whose A and B hold halves.
class HalfProductWorkload : public Workload {
 public:
  HalfProductWorkload(int n, Random& random)
      : HalfProductWorkload(random_half_matrix(n, n, random), random_half_matrix(n, n, random)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    const int n = A_.rows;
    return is_product(returned<float>("C", n, n, arguments, memory), reference_,
                      Roundings::independent, sampled);
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    if (name == "A") return bytes_of(A_);
    if (name == "B") return bytes_of(B_);
    return std::nullopt;
  }

 private:
  HalfProductWorkload(const Matrix<float>& A, const Matrix<float>& B)
      : A_(halves_of(A)), B_(halves_of(B)), reference_(multiply(A, B)) {}

  Matrix<__half> A_, B_;
  ReferenceProduct reference_;
};

class GemmWorkload : public Workload {
 public:
  explicit GemmWorkload(GemmInputs inputs) : inputs_(std::move(inputs)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    // C held values before the call, so it does not show which elements were written.
    if (sampled && inputs_.beta != 0) return std::nullopt;
    return is_product(returned<double>("C", inputs_.C.rows, inputs_.C.cols, arguments, memory),
                      multiply_add(inputs_), Roundings::independent, sampled);
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    if (name == "A") return bytes_of(inputs_.A);
    if (name == "B") return bytes_of(inputs_.B);
    return inputs_.beta == 0 ? std::nullopt : std::optional(bytes_of(inputs_.C));
  }

 private:
  GemmInputs inputs_;
};

class ProductProblem : public Problem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path& folder) const override {
    const int n = static_cast<int>(shape_of("C", call).rows);
    if (matrix_called("A", call.arguments).element_bytes == sizeof(__half)) {
      if (inputs.kind != InputChoice::Kind::random) {
        throw std::runtime_error(tr("{}: matrices of halves are random only", call.function));
      }
      Random random = seeded_random(inputs.seed, "product of halves");
      return std::make_unique<HalfProductWorkload>(n, random);
    }
    const ProductStore store(inputs, folder);
    const bool random = inputs.kind == InputChoice::Kind::random;
    const Roundings roundings = random ? Roundings::independent : Roundings::any;
    if (call.double_precision) {
      return std::make_unique<ProductWorkload<double>>(store.get<double>(n), roundings);
    }
    return std::make_unique<ProductWorkload<float>>(store.get<float>(n), roundings);
  }

  std::string obstacle_to(const InputChoice&) const override { return ""; }
  std::size_t doubles_to_judge() const override { return doubles_of_a_product; }
  BlasRoutine blas_routine() const override { return BlasRoutine::gemm; }

  std::vector<InputElement> elements_behind(const NamedCall& call, int row,
                                            int col) const override {
    std::vector<InputElement> elements;
    const int products = static_cast<int>(shape_of("A", call).cols);
    for (int k = 0; k < products; ++k) elements.push_back({"A", row, k});
    for (int k = 0; k < products; ++k) elements.push_back({"B", k, col});
    return elements;
  }
};

/// Returns the real numbers among a call's arguments: alpha and beta, in BLAS's order.
std::pair<double, double> scalars_of(const NamedCall& call) {
  std::vector<double> scalars;
  for (const Argument& argument : call.arguments) {
    if (const auto* scalar = std::get_if<double>(&argument)) scalars.push_back(*scalar);
  }
  return {scalars.at(0), scalars.at(1)};
}

class GemmProblem : public ProductProblem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path& folder) const override {
    const MatrixShape A = shape_of("A", call), C = shape_of("C", call);
    const auto [alpha, beta] = scalars_of(call);
    const bool is_plain = C.rows == C.cols && A.cols == C.rows && alpha == 1 && beta == 0;
    if (is_plain) return ProductProblem::pose(call, inputs, folder);
    Random random = seeded_random(inputs.seed, "gemm");
    const int m = static_cast<int>(C.rows), n = static_cast<int>(C.cols);
    const int k = static_cast<int>(A.cols);
    return std::make_unique<GemmWorkload>(GemmInputs{.alpha = alpha,
                                                     .A = random_double_matrix(m, k, random),
                                                     .B = random_double_matrix(k, n, random),
                                                     .beta = beta,
                                                     .C = random_double_matrix(m, n, random)});
  }
};

}  // namespace

const Problem& product_problem() {
  static const ProductProblem problem;
  return problem;
}

const Problem& gemm_problem() {
  static const GemmProblem problem;
  return problem;
}

namespace {

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

  std::vector<InputElement> elements_behind(const NamedCall&, int row, int col) const override {
    return {{"in", col, row}};
  }
};

}  // namespace

const Problem& transpose_problem() {
  static const TransposeProblem problem;
  return problem;
}

// The problem A * X = alpha * B, where A is lower triangular and X takes the place of B.
namespace {

class SolveWorkload : public Workload {
 public:
  explicit SolveWorkload(TriangularSystem system) : system_(std::move(system)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    // B stands where X is stored, so that it cannot be told which elements are solved.
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
    return tr(
        "triangular systems are solved with random matrices only, which are well-conditioned");
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

// The problem sum = x[0] + x[1] + ..., a reduction, with the additions in any order.
namespace {

class SumWorkload : public Workload {
 public:
  explicit SumWorkload(Matrix<float> x) : x_(std::move(x)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    if (sampled) return std::nullopt;  // the part that some blocks contribute may be any number
    // There is no rounding to allow for: see whole_numbers(). NaN is wrong.
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
