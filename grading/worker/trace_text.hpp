#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/trace.hpp"

/// The format in which a worker reports what kernels did, request by request. It is text in the
/// shared memory, because it is too much for a message.
namespace tilewise::grading {

/// A matrix in device memory. Its place is counted in bytes, as requests count them.
struct PlacedBuffer {
  std::string name;
  std::uint32_t place = 0;  ///< where its first element lies

  bool operator==(const PlacedBuffer&) const = default;
};

struct TraceText {
  std::vector<PlacedBuffer> buffers;
  std::vector<simt::KernelTrace> kernels;
};

/// @param most_bytes the longest text; the last kernels are left out if they do not fit
std::string encode_trace(const TraceText& trace, std::size_t most_bytes);

/// Reads what came from a worker, which may be anything.
/// @param problem receives the reason if nothing of the text can be used
TraceText decode_trace(std::string_view text, std::string& problem);

}  // namespace tilewise::grading
