#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grading/examiner/device_array.hpp"

namespace tilewise::grading {

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

/// What a grader gives for a parameter of type T.
template <typename T>
struct Parameter;

template <>
struct Parameter<float*> {
  using Given = DeviceArray&;
  static CallArgument convert(DeviceArray& array) { return &array; }
};

template <>
struct Parameter<const float*> : Parameter<float*> {};

template <>
struct Parameter<int> {
  using Given = int;
  static CallArgument convert(int value) { return std::int64_t{value}; }
};

template <>
struct Parameter<dim3> {
  using Given = dim3;
  static CallArgument convert(dim3 value) { return std::array{value.x, value.y, value.z}; }
};

/// A contract function as its header declares it: called with matrices and numbers it gives the
/// Call to make. Wrong counts and types of arguments do not compile.
template <typename Function>
class Contract;

template <typename... P>
class Contract<cudaError_t(P...)> {
 public:
  constexpr Contract(const char* function, std::array<const char*, sizeof...(P)> parameters)
      : function_(function), parameters_(parameters) {}

  Call operator()(typename Parameter<P>::Given... given) const {
    Call call{function_, std::string(function_) + "(", {Parameter<P>::convert(given)...}};
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      append_argument(call.text, parameters_[i], call.arguments[i]);
    }
    call.text += ")";
    return call;
  }

 private:
  const char* function_;
  std::array<const char*, sizeof...(P)> parameters_;
};

}  // namespace tilewise::grading

/// The contract of `function`, a name of the global namespace, followed by its parameters' names in
/// quotes. A macro, because a function has a name for the preprocessor only.
#define CONTRACT(function, ...) \
  ::tilewise::grading::Contract<decltype(::function)>(#function, {__VA_ARGS__})
