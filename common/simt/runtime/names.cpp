#include "common/simt/runtime/names.hpp"

#include <fmt/format.h>

#include "common/simt/recorder/access.hpp"

namespace tilewise::simt {

std::string describe(uint3 thread) {
  return fmt::format("thread ({}, {}, {})", thread.x, thread.y, thread.z);
}

std::string describe_block(uint3 block) {
  return fmt::format("block ({}, {}, {})", block.x, block.y, block.z);
}

const char* verb(std::uint32_t site) {
  switch (Site32(site).action()) {
    case Action::read:
      return "reads";
    case Action::write:
      return "writes";
    default:
      return "updates";
  }
}

std::string describe_mask(unsigned lanes) { return fmt::format("0x{:08x}", lanes); }

namespace {

/// "A (37 x 37)" or "an allocation of 148 bytes".
std::string extent_of(const DeviceMemory::Range& range) {
  if (range.description == nullptr) return fmt::format("an allocation of {} bytes", range.bytes);
  const BufferDescription& buffer = *range.description;
  if (buffer.scalar) return buffer.name;
  if (buffer.element_bytes == 0) return fmt::format("{} ({} bytes)", buffer.name, range.bytes);
  const std::size_t elements = range.bytes / buffer.element_bytes;
  if (buffer.row_elements == 0) return fmt::format("{} ({} elements)", buffer.name, elements);
  return fmt::format("{} ({} x {})", buffer.name,
                     (elements + buffer.row_elements - 1) / buffer.row_elements,
                     buffer.row_elements);
}

}  // namespace

std::string element_of(const DeviceMemory::Range& range, const std::byte* address) {
  if (range.description == nullptr) {
    return fmt::format("byte {} of an allocation", address - range.start);
  }
  const BufferDescription& buffer = *range.description;
  const std::ptrdiff_t offset = address - range.start;
  if (buffer.element_bytes == 0) return fmt::format("byte {} of {}", offset, buffer.name);
  if (buffer.scalar && address >= range.start && address < range.start + range.bytes) {
    return buffer.name;
  }
  const auto size = static_cast<std::ptrdiff_t>(buffer.element_bytes);
  const std::ptrdiff_t element = offset / size - (offset % size < 0 ? 1 : 0);
  if (buffer.row_elements == 0 || element < 0) {
    return fmt::format("{}[{}]", buffer.name, element);
  }
  const auto row = static_cast<std::ptrdiff_t>(buffer.row_elements);
  return fmt::format("{}[{}][{}]", buffer.name, element / row, element % row);
}

bool above_diagonal(const DeviceMemory::Range& range, const std::byte* address) {
  if (range.description == nullptr || !range.description->lower_triangular) return false;
  const BufferDescription& buffer = *range.description;
  const std::size_t element =
      static_cast<std::size_t>(address - range.start) / buffer.element_bytes;
  return element % buffer.row_elements > element / buffer.row_elements;
}

std::string outside_of(const DeviceMemory::Range& range, const std::byte* address) {
  return fmt::format("{}, {} {}", element_of(range, address),
                     address < range.start ? "before the start of" : "past the end of",
                     extent_of(range));
}

}  // namespace tilewise::simt
