#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/trace.hpp"

/// How a worker tells what kernels did, request by request: too much for a message, so it is text
/// in the shared memory.
namespace tilewise::grading {

/// A matrix in device memory, as requests count its bytes.
struct PlacedBuffer {
  std::string name;
  std::uint32_t place = 0;  ///< of its first element

  bool operator==(const PlacedBuffer&) const = default;
};

struct TraceText {
  std::vector<PlacedBuffer> buffers;
  std::vector<simt::KernelTrace> kernels;
};

/// @param most_bytes of text; as many kernels as have room
std::string encode_trace(const TraceText& trace, std::size_t most_bytes);

/// Reads what came from a worker, which may be anything.
/// @param problem receives why where nothing of it can be used
TraceText decode_trace(std::string_view text, std::string& problem);

}  // namespace tilewise::grading
