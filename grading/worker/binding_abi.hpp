/// \file
/// The data that passes between a worker and the module that it loads. It is plain data because the
/// two are compiled apart: the module by the student's toolchain, perhaps as C++17.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewise::grading {

/// One argument of a contract function as the worker decoded it.
struct DecodedArgument {
  enum class Kind : std::int32_t { buffer, integer, real, extent };
  Kind kind;
  void* buffer;  ///< device pointer to the payload
  std::int64_t integer;
  double real;
  std::uint32_t extent[3];  ///< a dim3
};

/// How the attempt to call a function ended.
enum class BindResult : std::int32_t {
  called,
  wrong_count,   ///< the number of arguments differs from the contract's
  wrong_kind,    ///< the kind of an argument differs from its parameter's
  out_of_range,  ///< an integer that the parameter's type cannot hold
};

/// One contract function of a module.
struct BoundFunction {
  const char* name;
  std::size_t parameters;
  /// Converts the arguments and calls the function; `status` receives its cudaError_t.
  BindResult (*invoke)(const DecodedArgument* arguments, std::size_t count, std::int32_t* status);
};

/// One successful kernel launch.
struct RecordedLaunch {
  char kernel[256];  ///< mangled name; empty if the toolkit cannot give it (before CUDA 12.3)
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::size_t dynamic_shared_bytes;
  std::size_t static_shared_bytes;
};

/// The table that a module exports under the name `tilewise_bindings`.
struct BindingTable {
  static constexpr std::uint32_t current_version = 3;
  std::uint32_t version;
  std::size_t count;
  const BoundFunction* functions;
  /// Returns the number of launches since the last call of this function, and writes the first
  /// `capacity` of them. Null in a simulator module, because there the run-time keeps the record.
  std::size_t (*take_launches)(RecordedLaunch* first, std::size_t capacity);
  /// Returns how many bytes of the device the host could read since the last call of this function,
  /// by copies or in memory that both share. Null in a simulator module, too.
  std::size_t (*take_bytes_for_the_host)();
  /// Returns the number of copies so far, in any direction. Null in a simulator module, too.
  std::size_t (*copies_made)();
};

}  // namespace tilewise::grading
