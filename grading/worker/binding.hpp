/// \file
/// Makes contract functions callable by name. A stage's binding object is compiled from this
/// header.
///
/// Compiles as C++17, against the simulator's <cuda_runtime.h> and against the CUDA Toolkit's.
/// A cuda module must be linked with `-Xlinker --wrap=SYMBOL` for each symbol that
/// launch_counter.hpp, host_access_counter.hpp and refused_calls.hpp wrap.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "grading/worker/binding_abi.hpp"
// This condition holds with the Toolkit's header only. The simulator's header defines the same name
// and TILEWISE_SITE, but its run-time counts calls by itself.
#if defined(__CUDA_RUNTIME_API_H__) && !defined(TILEWISE_SITE)
#define TILEWISE_COUNTS_CALLS
#include "grading/worker/host_access_counter.hpp"
#include "grading/worker/launch_counter.hpp"
#include "grading/worker/refused_calls.hpp"
#endif

namespace tilewise::grading::binding {

/// Converts one decoded argument to a parameter of type T.
template <class T>
struct Parameter {
  static_assert(std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_same_v<T, dim3>,
                "A contract function takes pointers, numbers and dim3 only.");

  static BindResult check(const DecodedArgument& argument) {
    if (argument.kind != kind()) return BindResult::wrong_kind;
    if constexpr (std::is_integral_v<T>) {
      static_assert(sizeof(T) < sizeof(std::int64_t) || std::is_signed_v<T>);
      if (argument.integer < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
          argument.integer > static_cast<std::int64_t>(std::numeric_limits<T>::max())) {
        return BindResult::out_of_range;
      }
    }
    return BindResult::called;
  }

  static T convert(const DecodedArgument& argument) {
    if constexpr (std::is_pointer_v<T>) {
      return static_cast<T>(argument.buffer);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(argument.integer);
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(argument.real);
    } else {
      return dim3(argument.extent[0], argument.extent[1], argument.extent[2]);
    }
  }

 private:
  static constexpr DecodedArgument::Kind kind() {
    if (std::is_pointer_v<T>) return DecodedArgument::Kind::buffer;
    if (std::is_integral_v<T>) return DecodedArgument::Kind::integer;
    if (std::is_floating_point_v<T>) return DecodedArgument::Kind::real;
    return DecodedArgument::Kind::extent;
  }
};

/// Invokes one contract function.
template <auto function>
struct Bound;

template <class... P, cudaError_t (*function)(P...)>
struct Bound<function> {
  static constexpr std::size_t parameters = sizeof...(P);

  static BindResult invoke(const DecodedArgument* arguments, std::size_t count,
                           std::int32_t* status) {
    if (count != parameters) return BindResult::wrong_count;
    return invoke(arguments, status, std::index_sequence_for<P...>{});
  }

 private:
  template <std::size_t... index>
  static BindResult invoke(const DecodedArgument* arguments, std::int32_t* status,
                           std::index_sequence<index...>) {
    BindResult result = BindResult::called;
    static_cast<void>(
        ((result = Parameter<P>::check(arguments[index]), result == BindResult::called) && ...));
    if (result != BindResult::called) return result;
    *status = static_cast<std::int32_t>(function(Parameter<P>::convert(arguments[index])...));
    return BindResult::called;
  }
};

#ifdef TILEWISE_COUNTS_CALLS
inline constexpr auto launch_source = &take_launches;
inline constexpr auto host_access_source = &take_bytes_for_the_host;
inline constexpr auto copies_source = &copies_made;
#else
inline constexpr std::size_t (*launch_source)(RecordedLaunch*, std::size_t) = nullptr;
inline constexpr std::size_t (*host_access_source)() = nullptr;
inline constexpr std::size_t (*copies_source)() = nullptr;
#endif

}  // namespace tilewise::grading::binding

/// Makes one row of the table, for the contract function `function`, a name in the global
/// namespace.
#define TILEWISE_BIND(function)                                                 \
  ::tilewise::grading::BoundFunction {                                          \
#function, ::tilewise::grading::binding::Bound < &::function> ::parameters, \
        &::tilewise::grading::binding::Bound < &::function> ::invoke            \
  }

/// Defines the module's one exported symbol from one TILEWISE_BIND per function. It is a macro
/// because functions are looked up by the names they are written with.
#define TILEWISE_BINDINGS(...)                                                                \
  static const ::tilewise::grading::BoundFunction tilewise_bound_functions[] = {__VA_ARGS__}; \
  extern "C" __attribute__((visibility("default")))                                           \
  const ::tilewise::grading::BindingTable tilewise_bindings;                                  \
  const ::tilewise::grading::BindingTable tilewise_bindings = {                               \
      ::tilewise::grading::BindingTable::current_version,                                     \
      sizeof(tilewise_bound_functions) / sizeof(tilewise_bound_functions[0]),                 \
      tilewise_bound_functions,                                                               \
      ::tilewise::grading::binding::launch_source,                                            \
      ::tilewise::grading::binding::host_access_source,                                       \
      ::tilewise::grading::binding::copies_source};
