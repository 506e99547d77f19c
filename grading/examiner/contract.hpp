#pragma once

#include <cuda_runtime.h>

#include <array>
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

/// An argument as a grader gives it. A pointer parameter takes a matrix, which must outlive the
/// call and receives what came back.
using CallArgument = std::variant<DeviceArray*, std::int64_t, double, std::array<unsigned, 3>>;

/// One call of a contract function, ready to be made by a worker.
struct Call {
  std::string function;
  std::string text;  ///< for messages: "matmul_shared(n=37, tile=16)", matrices left out
  std::vector<CallArgument> arguments;
};

/// Adds ", name=value" (without the comma for the first) to a call's text.
void append_argument(std::string& text, std::string_view name, const CallArgument& argument);

enum class ParameterKind { matrix, integer, extent };

/// A parameter of a contract function.
struct ParameterInfo {
  std::string name;
  ParameterKind kind;
  std::size_t element_bytes = 0;  ///< of a matrix
  bool read_only = false;         ///< a matrix that the function takes as const
};

/// Rows and columns of a matrix.
struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

/// The integer arguments of a call, by name.
using Integers = std::map<std::string, std::int64_t, std::less<>>;

/// The shapes of a call's matrices, in the order of its parameters.
using ShapesOfMatrices = std::vector<MatrixShape> (*)(const Integers& arguments);

/// What can be known of a contract function without naming its type.
struct ContractInfo {
  std::string function;
  std::vector<ParameterInfo> parameters;
  ShapesOfMatrices shapes;
};

/// What a grader gives for a parameter of type T.
template <typename T>
struct Parameter;

template <>
struct Parameter<float*> {
  using Given = DeviceArray&;
  static CallArgument convert(DeviceArray& array) { return &array; }
  static ParameterInfo info(const char* name) {
    return {name, ParameterKind::matrix, sizeof(float), false};
  }
};

template <>
struct Parameter<const float*> : Parameter<float*> {
  static ParameterInfo info(const char* name) {
    return {name, ParameterKind::matrix, sizeof(float), true};
  }
};

template <>
struct Parameter<int> {
  using Given = int;
  static CallArgument convert(int value) { return std::int64_t{value}; }
  static ParameterInfo info(const char* name) { return {name, ParameterKind::integer}; }
};

template <>
struct Parameter<dim3> {
  using Given = dim3;
  static CallArgument convert(dim3 value) { return std::array{value.x, value.y, value.z}; }
  static ParameterInfo info(const char* name) { return {name, ParameterKind::extent}; }
};

/// A contract function as its header declares it: called with matrices and numbers it gives the
/// Call to make. Wrong counts and types of arguments do not compile.
template <typename Function>
class Contract;

template <typename... P>
class Contract<cudaError_t(P...)> {
 public:
  using Names = std::array<const char*, sizeof...(P)>;

  constexpr Contract(const char* function, ShapesOfMatrices shapes, Names parameters)
      : function_(function), shapes_(shapes), parameters_(parameters) {}

  Call operator()(typename Parameter<P>::Given... given) const {
    Call call{function_, std::string(function_) + "(", {Parameter<P>::convert(given)...}};
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      append_argument(call.text, parameters_[i], call.arguments[i]);
    }
    call.text += ")";
    return call;
  }

  ContractInfo info() const { return info(std::index_sequence_for<P...>{}); }

 private:
  template <std::size_t... index>
  ContractInfo info(std::index_sequence<index...>) const {
    return {function_, {Parameter<P>::info(parameters_[index])...}, shapes_};
  }

  const char* function_;
  ShapesOfMatrices shapes_;
  Names parameters_;
};

}  // namespace tilewise::grading

/// The contract of `function`, a name of the global namespace, followed by the shapes of its
/// matrices and its parameters' names in quotes. A macro, because a function has a name for the
/// preprocessor only.
#define CONTRACT(function, shapes, ...) \
  ::tilewise::grading::Contract<decltype(::function)>(#function, shapes, {__VA_ARGS__})
