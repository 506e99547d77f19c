#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/simt/watch.hpp"

namespace tilewise::grading {

/// A matrix (or vector) argument. Its image, the payload and the guard bands around it, lies in
/// shared memory; it is copied to the device before the call and back after it.
struct BufferArgument {
  std::size_t offset = 0;  ///< of the whole image in shared memory, in bytes
  std::size_t image_bytes = 0;
  std::size_t payload_offset = 0;  ///< within the image, in bytes; the function gets this address
  std::size_t payload_bytes = 0;
  std::string name;               ///< for messages, e.g. "A"
  bool read_only = false;         ///< an input: not restored between timed repetitions
  bool uninitialised = false;     ///< an output: what it holds before the call means nothing
  std::size_t element_bytes = 0;  ///< 0: unknown
  std::size_t row_elements = 0;   ///< elements from one row to the next; 0: not a matrix
  bool lower_triangular = false;  ///< square, and nothing above the diagonal is to be read
  /// The image exists on the device only and nothing is copied either way, since nobody looks at
  /// the values; `offset` has no meaning then.
  bool device_only = false;
};

/// One argument of a contract call: a matrix, an integer, a real number or a dim3.
using Argument = std::variant<BufferArgument, std::int64_t, double, std::array<unsigned, 3>>;

/// Asks for a timed call: warm-ups with the matrices that are in shared memory when the call is
/// made, then repetitions with those that take their place. Every repetition starts from the same
/// outputs, with a cold L2 cache; the outputs that come back are the last repetition's.
struct Timing {
  int warmups = 0;
  int repetitions = 1;
  int calls = 1;  ///< one after another in each repetition, timed as one
};

/// What a worker is asked to do.
struct CallRequest {
  std::string function;
  std::vector<Argument> arguments;
  std::optional<Timing> timing;
  std::optional<simt::Watch> watch;  ///< in a module of the checked build, on the simulator
  std::int32_t variant = 0;          ///< of a module that was built to be varied: which one to run
};

// What a kernel did, in the simulator's words whatever ran it.
using LaunchInfo = simt::LaunchRecord;
using core::Fault;
using core::Finding;
using core::Phase;
using core::ThreadOfGrid;
using simt::all_counters;
using simt::KernelProfile;
using simt::NamedCounter;

/// The device a worker runs on.
struct DeviceInfo {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int sms = 0;
  double clock_mhz = 0;  ///< highest; 0 where the driver does not tell
  double dram_gb_s = 0;  ///< theoretical; 0 where the driver does not tell
  std::size_t l2_bytes = 0;
};

}  // namespace tilewise::grading
