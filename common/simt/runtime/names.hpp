#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/recorder/access.hpp"
#include "common/simt/runtime/device_memory.hpp"

/// How messages name threads, blocks, lane masks and what a site does.
namespace tilewise::simt {

std::string describe(uint3 thread);         ///< "thread (3, 1, 0)"
std::string describe_block(uint3 block);    ///< "block (0, 2, 0)"
std::string describe_mask(unsigned lanes);  ///< "0x0000ffff"
const char* verb(std::uint32_t site);       ///< "reads", "writes" or "updates"

}  // namespace tilewise::simt

/// How messages name elements of buffers in device memory.
namespace tilewise::simt {

inline const std::byte* address_of(Place place) { return DeviceMemory::instance().base() + place; }

/// "A[37][0]", or "byte 148 of A" where the elements are not known.
std::string element_of(const DeviceMemory::Range& range, const std::byte* address);

/// Whether the address lies in a part of a triangular matrix that is never to be read.
bool above_diagonal(const DeviceMemory::Range& range, const std::byte* address);

/// "A[37][0], past the end of A (37 x 37)".
std::string outside_of(const DeviceMemory::Range& range, const std::byte* address);

}  // namespace tilewise::simt
