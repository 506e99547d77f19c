#include "grading/problem/workload.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "grading/problem/npy.hpp"
#include "grading/problem/compare.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/problem/dtrsm_reference.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

using Bytes = std::span<const std::byte>;

template <typename T>
constexpr auto unwritten() {
  if constexpr (std::is_same_v<T, float>) {
    return unwritten_bits;
  } else {
    return unwritten_bits_double;
  }
}

template <typename T>
bool is_unwritten(T value) {
  return std::bit_cast<std::remove_const_t<decltype(unwritten<T>())>>(value) == unwritten<T>();
}

template <typename T>
Bytes bytes_of(const Matrix<T>& matrix) {
  return std::as_bytes(std::span(matrix.values));
}

void fill_unwritten(std::span<std::byte> memory, std::size_t element_bytes) {
  const auto fill = [&](auto bits) {
    for (std::size_t at = 0; at + sizeof bits <= memory.size(); at += sizeof bits) {
      std::memcpy(&memory[at], &bits, sizeof bits);
    }
  };
  element_bytes == sizeof(float) ? fill(unwritten_bits) : fill(unwritten_bits_double);
}

std::size_t whole_pages(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  return (bytes + page - 1) / page * page;
}

const BufferArgument& matrix_called(std::string_view name, std::span<const Argument> arguments) {
  for (const Argument& argument : arguments) {
    const auto* matrix = std::get_if<BufferArgument>(&argument);
    if (matrix != nullptr && matrix->name == name) return *matrix;
  }
  throw std::logic_error("the call has no matrix " + std::string(name));
}

/// (rows, cols) of a matrix of a call, without gaps between rows.
template <typename T>
Matrix<T> returned(std::string_view name, std::span<const Argument> arguments, Bytes memory) {
  const BufferArgument& argument = matrix_called(name, arguments);
  const std::size_t cols = argument.row_elements;
  const std::size_t elements = argument.payload_bytes / sizeof(T);
  Matrix<T> matrix(static_cast<int>(cols == 0 ? 0 : elements / cols), static_cast<int>(cols));
  std::memcpy(matrix.values.data(), memory.data() + argument.offset, elements * sizeof(T));
  return matrix;
}

template <typename T>
class ProductWorkload : public Workload {
 public:
  ProductWorkload(ProductInputs<T> inputs, Roundings roundings)
      : inputs_(std::move(inputs)), roundings_(roundings) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    Matrix<T> C = returned<T>("C", arguments, memory);
    if (sampled) {
      std::size_t missing = 0;
      for (std::size_t i = 0; i < C.values.size(); ++i) {
        if (!is_unwritten(C.values[i])) continue;
        C.values[i] = static_cast<T>(inputs_.reference.product.values[i]);
        ++missing;
      }
      if (missing == C.values.size()) return false;
    }
    return compare(C, inputs_.reference, roundings_).all_right();
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

class SolveWorkload : public Workload {
 public:
  explicit SolveWorkload(TriangularSystem system) : system_(std::move(system)) {}

  std::optional<bool> is_right(std::span<const Argument> arguments, Bytes memory,
                               bool sampled) const override {
    // B stands where X is to come, so that nobody can tell which elements are solved.
    if (sampled) return std::nullopt;
    return check_solution(system_, returned<double>("B", arguments, memory)).all_right();
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    return bytes_of(name == "A" ? system_.A : system_.B);
  }

 private:
  TriangularSystem system_;
};

/// Random inputs for a function of any kind; an output is what it does not take as const.
class UnjudgedWorkload : public Workload {
 public:
  UnjudgedWorkload(const NamedCall& call, std::uint64_t seed) {
    Random random = seeded_random(seed, call.function);
    for (const Argument& argument : call.arguments) {
      const auto* matrix = std::get_if<BufferArgument>(&argument);
      if (matrix == nullptr || !matrix->read_only) continue;
      const auto elements = static_cast<int>(matrix->image_bytes / matrix->element_bytes);
      const auto keep = [&](const auto& contents) {
        const Bytes bytes = bytes_of(contents);
        inputs_[matrix->name].assign(bytes.begin(), bytes.end());
      };
      if (matrix->element_bytes == sizeof(float)) {
        keep(random_matrix(1, elements, random));
      } else {
        keep(random_double_matrix(1, elements, random));
      }
    }
  }

  std::optional<bool> is_right(std::span<const Argument>, Bytes, bool) const override {
    return std::nullopt;
  }

 protected:
  std::optional<Bytes> contents(const std::string& name) const override {
    const auto input = inputs_.find(name);
    return input == inputs_.end() ? std::nullopt : std::optional<Bytes>(input->second);
  }

 private:
  std::map<std::string, std::vector<std::byte>> inputs_;
};

Matrix<float> matrix_to_transpose(const InputChoice& inputs, int n) {
  switch (inputs.kind) {
    case InputChoice::Kind::random: {
      Random random = seeded_random(inputs.seed, "transpose");
      return distinct_matrix(n, n, random);
    }
    case InputChoice::Kind::linear: {
      Matrix<float> in(n, n);
      for (std::size_t i = 0; i < in.values.size(); ++i) in.values[i] = static_cast<float>(i);
      return in;
    }
    case InputChoice::Kind::files:
      return read_npy<float>(inputs.A);
  }
  throw std::logic_error("no choice of inputs");
}

TriangularSystem system_of(const InputChoice& inputs, int m, int n) {
  Random random = seeded_random(inputs.seed, "triangular system");
  TriangularSystem system{.A = random_lower_triangle(m, random), .B = {}};
  system.B = random_double_matrix(m, n, random);
  return system;
}

}  // namespace

std::vector<Argument> Workload::place(const NamedCall& call, std::span<std::byte> memory) const {
  std::vector<Argument> arguments = call.arguments;
  std::size_t offset = 0;
  for (Argument& argument : arguments) {
    auto* matrix = std::get_if<BufferArgument>(&argument);
    if (matrix == nullptr) continue;
    matrix->offset = offset;
    matrix->device_only = false;
    const auto given = contents(matrix->name);
    matrix->uninitialised = !given;
    const auto place = memory.subspan(offset, matrix->image_bytes);
    if (!given) {
      fill_unwritten(place, matrix->element_bytes);
    } else if (given->size() == place.size()) {
      std::ranges::copy(*given, place.begin());
    } else {
      throw std::logic_error(call.text + ": the matrix " + matrix->name + " has another size");
    }
    offset += whole_pages(matrix->image_bytes);
  }
  return arguments;
}

std::size_t bytes_in_memory(const NamedCall& call) {
  std::size_t bytes = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      bytes += whole_pages(matrix->image_bytes);
    }
  }
  return bytes;
}

std::string obstacle_to(Problem problem, const InputChoice& inputs) {
  if (inputs.kind == InputChoice::Kind::random) return "";
  if (problem == Problem::other) return "its inputs are random only";
  if (problem != Problem::solve) return "";
  return "triangular systems are solved with random matrices only, which are well-conditioned";
}

std::unique_ptr<Workload> make_workload(const WorkloadRequest& request) {
  const NamedCall& call = *request.call;
  const auto cols = [&](const char* name) {
    return static_cast<int>(matrix_called(name, call.arguments).row_elements);
  };
  switch (request.problem) {
    case Problem::product: {
      const ProductStore store(request.inputs, request.store);
      const bool random = request.inputs.kind == InputChoice::Kind::random;
      const Roundings roundings = random ? Roundings::independent : Roundings::any;
      if (call.double_precision) {
        return std::make_unique<ProductWorkload<double>>(store.get<double>(cols("C")), roundings);
      }
      return std::make_unique<ProductWorkload<float>>(store.get<float>(cols("C")), roundings);
    }
    case Problem::transpose:
      return std::make_unique<TransposeWorkload>(matrix_to_transpose(request.inputs, cols("in")));
    case Problem::solve:
      return std::make_unique<SolveWorkload>(system_of(request.inputs, cols("A"), cols("B")));
    case Problem::other:
      return std::make_unique<UnjudgedWorkload>(call, request.inputs.seed);
  }
  throw std::logic_error("no such problem");
}

std::size_t bytes_to_judge(Problem problem, const NamedCall& call) {
  // What came back, beside the inputs.
  constexpr std::size_t copies = 2;
  std::size_t elements = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      elements = std::max(elements, matrix->image_bytes / matrix->element_bytes);
    }
  }
  // A reference has a product and a magnitude in double precision, and while they are computed A
  // and B as well; a system is checked by a few matrices of doubles.
  constexpr std::size_t doubles_of_product = 4, doubles_of_system = 6;
  const std::size_t doubles = problem == Problem::product ? doubles_of_product
                              : problem == Problem::solve ? doubles_of_system
                                                          : 0;
  return copies * bytes_in_memory(call) + doubles * sizeof(double) * elements;
}

}  // namespace tilewise::grading
