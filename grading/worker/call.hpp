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
};

/// What a worker is asked to do.
struct CallRequest {
  std::string function;
  std::vector<Argument> arguments;
  std::optional<Timing> timing;
  std::optional<simt::Watch> watch;  ///< in a module of the checked build, on the simulator
};

/// A kernel launch that succeeded.
struct LaunchInfo {
  std::string kernel;  ///< empty where the toolkit cannot tell
  std::array<unsigned, 3> grid = {};
  std::array<unsigned, 3> block = {};
  std::size_t dynamic_shared_bytes = 0;
  std::string file;  ///< empty where unknown, as on cuda
  int line = 0;
  std::size_t static_shared_bytes = 0;  ///< on cuda; the simulator's are in its profiles
};

/// One thread of a launch.
struct ThreadPlace {
  std::array<unsigned, 3> block = {};
  std::array<unsigned, 3> thread = {};

  bool operator==(const ThreadPlace&) const = default;
};

/// A fault in a kernel that the simulator found and explains.
struct Diagnostic {
  std::string kind;  ///< e.g. "barrier"; simt::Diagnostic lists them
  std::string message;
  std::string file;
  int line = 0;
  std::string other_file = {};  ///< of a race: where the other thread was
  int other_line = 0;
  std::optional<ThreadPlace> place = {};  ///< of the thread at fault; of a race, the later one
};

/// What the simulator counted in a kernel launch.
struct KernelProfile {
  LaunchInfo launch;
  std::size_t static_shared_bytes = 0;
  std::uint64_t blocks = 0;            ///< of the grid
  std::uint64_t simulated_blocks = 0;  ///< that the counters were taken from
  simt::Counters counters;             ///< totals for the whole grid
  std::vector<simt::LineCounters> lines;
  // As in simt::KernelProfile.
  std::vector<std::uint64_t> partition_bytes;
  std::vector<simt::PartitionBytes> partitions_by_run;
  std::uint64_t blocks_a_run = 1;
  simt::Footprint footprint;
};

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
