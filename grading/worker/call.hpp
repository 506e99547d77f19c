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

/// A matrix (or vector) argument. Its image consists of the payload and the guard bands around it.
/// The image lies in shared memory; it is copied to the device before the call and back after it.
struct BufferArgument {
  std::size_t offset = 0;  ///< where the whole image begins in shared memory, in bytes
  std::size_t image_bytes = 0;
  std::size_t payload_offset = 0;  ///< within the image, in bytes; the function gets this address
  std::size_t payload_bytes = 0;
  std::string name;               ///< for messages, e.g. "A"
  bool read_only = false;         ///< an input: not restored between timed repetitions
  bool uninitialised = false;     ///< an output: its values before the call have no meaning
  std::size_t element_bytes = 0;  ///< 0 if unknown
  std::size_t row_elements = 0;   ///< elements from one row to the next; 0 if not a matrix
  bool lower_triangular = false;  ///< square, and nothing above the diagonal may be read
  /// The image exists on the device only and is copied neither way, since nobody looks at its
  /// values; `offset` has no meaning then.
  bool device_only = false;
};

/// One argument of a contract call: a matrix, an integer, a real number or a dim3.
using Argument = std::variant<BufferArgument, std::int64_t, double, std::array<unsigned, 3>>;

/// Asks for a timed call. The warm-ups use the matrices that are in shared memory when the call is
/// made; the repetitions use those that the examiner then puts in their place. Every repetition
/// starts from the same outputs, with a cold L2 cache; the outputs that come back are the last
/// repetition's.
struct Timing {
  int warmups = 0;
  int repetitions = 1;
  int calls = 1;  ///< calls in each repetition, one after another and timed as one
};

/// A call that a worker is asked to perform.
struct CallRequest {
  std::string function;
  std::vector<Argument> arguments;
  std::optional<Timing> timing;
  std::optional<simt::Watch> watch;  ///< only in a module of the checked build, on the simulator
  std::int32_t variant = 0;          ///< the variant to run, if the module was built with variants
};

// The simulator's types describe what a kernel did, whichever backend ran it.
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
  double clock_mhz = 0;  ///< the highest; 0 if the driver does not report it
  double dram_gb_s = 0;  ///< theoretical; 0 if the driver does not report it
  std::size_t l2_bytes = 0;
};

}  // namespace tilewise::grading
