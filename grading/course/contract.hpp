#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tilewise::grading {

class DeviceArray;

/// An argument as a grader gives it. For a pointer parameter it is a matrix, which must outlive the
/// call and receives the data that came back.
using CallArgument = std::variant<DeviceArray*, std::int64_t, double, std::array<unsigned, 3>>;

/// One call of a contract function, ready to be made by a worker.
struct Call {
  std::string function;
  std::string text;  ///< for messages, without the matrices: "matmul_shared(n=37, tile=16)"
  std::vector<CallArgument> arguments;
};

/// Adds ", name=value" to a call's text, without the comma for the first argument; matrices are
/// left out.
inline void append_argument(std::string& text, std::string_view name,
                            const CallArgument& argument) {
  if (std::holds_alternative<DeviceArray*>(argument)) return;
  if (!text.ends_with('(')) text += ", ";
  if (const auto* integer = std::get_if<std::int64_t>(&argument)) {
    text += fmt::format("{}={}", name, *integer);
  } else if (const auto* real = std::get_if<double>(&argument)) {
    text += fmt::format("{}={}", name, *real);
  } else {
    const auto& extent = std::get<std::array<unsigned, 3>>(argument);
    text += fmt::format("{}={}x{}", name, extent[0], extent[1]);
    if (extent[2] != 1) text += fmt::format("x{}", extent[2]);
  }
}

enum class ParameterKind { matrix, integer, real, extent };

/// A parameter of a contract function.
struct ParameterInfo {
  std::string name;
  ParameterKind kind;
  std::size_t element_bytes = 0;  ///< of a matrix
  bool read_only = false;         ///< the function takes the matrix as const
  /// The value of an argument that is left out: a number, or the name of an integer parameter
  /// before this one. Empty if the argument is required.
  std::string default_value = {};
  /// The shape of a matrix, "rows, cols" or "rows, cols, leading dimension", in numbers or names of
  /// integer parameters.
  std::string shape = {};
};

/// A parameter as a contract writes it: "n", with a default value "alpha=1" or "lda=k", or a matrix
/// with its shape, "A(n, n)" or "A(m, k, lda)".
struct DeclaredParameter {
  std::string_view name;
  std::string_view default_value;
  std::string_view shape;
};

constexpr DeclaredParameter declared(std::string_view text) {
  const std::size_t end = text.find_first_of("=(");
  if (end == text.npos) return {text, {}, {}};
  const std::string_view name = text.substr(0, end), rest = text.substr(end + 1);
  if (text[end] == '=') return {name, rest, {}};
  return {name, {}, rest.substr(0, rest.find(')'))};
}

/// The rows and columns of a matrix, and the number of elements from one row to the next.
struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t leading_dimension = cols;
};

/// The integer arguments of a call by name.
using Integers = std::map<std::string, std::int64_t, std::less<>>;

/// What is known about a contract function without its type.
struct ContractInfo {
  std::string function;
  std::vector<ParameterInfo> parameters;
  /// The floating-point operations of a call, where a multiply-add counts as 2: a product of
  /// numbers and integer parameters, "2 * m * n * k". Empty if the function only moves elements.
  std::string flop = {};
};

/// How a grader passes an argument for a parameter of type T.
template <typename T>
struct Parameter;

/// A matrix of T; T is const if the function only reads it.
template <typename T>
struct MatrixParameter {
  using Given = DeviceArray&;
  static CallArgument convert(DeviceArray& array) { return &array; }
  static ParameterInfo info(std::string name) {
    return {std::move(name), ParameterKind::matrix, sizeof(T), std::is_const_v<T>};
  }
};

template <>
struct Parameter<float*> : MatrixParameter<float> {};
template <>
struct Parameter<const float*> : MatrixParameter<const float> {};
template <>
struct Parameter<const __half*> : MatrixParameter<const __half> {};
template <>
struct Parameter<double*> : MatrixParameter<double> {};
template <>
struct Parameter<const double*> : MatrixParameter<const double> {};

template <>
struct Parameter<int> {
  using Given = int;
  static CallArgument convert(int value) { return std::int64_t{value}; }
  static ParameterInfo info(std::string name) { return {std::move(name), ParameterKind::integer}; }
};

/// A real number, which is passed as a double because a double holds every float exactly.
template <typename T>
struct RealParameter {
  using Given = T;
  static CallArgument convert(T value) { return double{value}; }
  static ParameterInfo info(std::string name) { return {std::move(name), ParameterKind::real}; }
};

template <>
struct Parameter<float> : RealParameter<float> {};
template <>
struct Parameter<double> : RealParameter<double> {};

template <>
struct Parameter<dim3> {
  using Given = dim3;
  static CallArgument convert(dim3 value) { return std::array{value.x, value.y, value.z}; }
  static ParameterInfo info(std::string name) { return {std::move(name), ParameterKind::extent}; }
};

/// A contract function as its header declares it. Calling it with matrices and numbers returns the
/// Call to make. A wrong number or type of arguments does not compile.
template <typename Function>
class Contract;

template <typename... P>
class Contract<cudaError_t(P...)> {
 public:
  using Names = std::array<const char*, sizeof...(P)>;

  constexpr Contract(const char* function, const char* flop, Names parameters)
      : function_(function), flop_(flop), parameters_(parameters) {}

  Call operator()(typename Parameter<P>::Given... given) const {
    Call call{function_, std::string(function_) + "(", {Parameter<P>::convert(given)...}};
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      append_argument(call.text, declared(parameters_[i]).name, call.arguments[i]);
    }
    call.text += ")";
    return call;
  }

  ContractInfo info() const { return info(std::index_sequence_for<P...>{}); }

 private:
  template <std::size_t... index>
  ContractInfo info(std::index_sequence<index...>) const {
    return {function_, {info_of<P>(parameters_[index])...}, flop_};
  }

  template <typename T>
  static ParameterInfo info_of(const char* text) {
    const auto [name, default_value, shape] = declared(text);
    ParameterInfo info = Parameter<T>::info(std::string(name));
    info.default_value = default_value;
    info.shape = shape;
    return info;
  }

  const char* function_;
  const char* flop_;
  Names parameters_;
};

}  // namespace tilewise::grading

/// The contract of `function`, a name of the global namespace, followed by its FLOP and its
/// parameters: CONTRACT(dgemm_shared, "2 * m * n * k", "m", "n", "k", "alpha=1", "A(m, k, lda)",
/// "lda=k", ...). This is a macro because only the preprocessor can turn a function into its name.
#define CONTRACT(function, flop, ...) \
  ::tilewise::grading::Contract<decltype(::function)>(#function, flop, {__VA_ARGS__})
