#include "grading/problem/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <variant>
#include <vector>

#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

/// Random inputs; an output is what the function does not take as const.
class UnjudgedWorkload : public Workload {
 public:
  UnjudgedWorkload(const NamedCall& call, std::uint64_t seed) {
    Random random = seeded_random(seed, call.function);
    auto shape = call.matrices.begin();
    for (const Argument& argument : call.arguments) {
      const auto* matrix = std::get_if<BufferArgument>(&argument);
      if (matrix == nullptr) continue;
      const int rows = static_cast<int>(shape->rows), cols = static_cast<int>(shape->cols);
      ++shape;
      if (!matrix->read_only) continue;
      const auto keep = [&](const auto& contents) {
        const auto bytes = bytes_of(contents);
        inputs_[matrix->name].assign(bytes.begin(), bytes.end());
      };
      if (matrix->element_bytes == sizeof(float)) {
        keep(random_matrix(rows, cols, random));
      } else {
        keep(random_double_matrix(rows, cols, random));
      }
    }
  }

  std::optional<bool> is_right(std::span<const Argument>, std::span<const std::byte>,
                               bool) const override {
    return std::nullopt;
  }

 protected:
  std::optional<std::span<const std::byte>> contents(const std::string& name) const override {
    const auto input = inputs_.find(name);
    if (input == inputs_.end()) return std::nullopt;
    return input->second;
  }

 private:
  std::map<std::string, std::vector<std::byte>> inputs_;
};

class UnknownProblem : public Problem {
 public:
  std::unique_ptr<Workload> pose(const NamedCall& call, const InputChoice& inputs,
                                 const std::filesystem::path&) const override {
    return std::make_unique<UnjudgedWorkload>(call, inputs.seed);
  }
};

}  // namespace

std::string Problem::obstacle_to(const InputChoice& inputs) const {
  return inputs.kind == InputChoice::Kind::random ? "" : "its inputs are random only";
}

const Problem& problem_called(std::string_view name) {
  static const UnknownProblem unknown;
  static const std::map<std::string_view, const Problem*> all = {
      {"product", &product_problem()},
      {"gemm", &gemm_problem()},
      {"transpose", &transpose_problem()},
      {"triangular_solve", &triangular_solve_problem()},
      {"sum", &sum_problem()}};
  if (name.empty()) return unknown;
  if (const auto known = all.find(name); known != all.end()) return *known->second;
  std::vector<std::string_view> names;
  for (const auto& entry : all) names.push_back(entry.first);
  throw std::invalid_argument(
      fmt::format("'{}' is no problem; there are {}", name, fmt::join(names, ", ")));
}

std::size_t bytes_to_judge(const Problem& problem, const NamedCall& call) {
  // What came back, beside the inputs.
  constexpr std::size_t copies = 2;
  std::size_t elements = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      elements = std::max(elements, matrix->image_bytes / matrix->element_bytes);
    }
  }
  return copies * bytes_in_memory(call) + problem.doubles_to_judge() * sizeof(double) * elements;
}

}  // namespace tilewise::grading
