#include "common/simt/runtime/describe.hpp"

#include <fmt/format.h>

namespace tilewise::simt {

std::string describe(uint3 thread) {
  return fmt::format("thread ({}, {}, {})", thread.x, thread.y, thread.z);
}

std::string describe_block(uint3 block) {
  return fmt::format("block ({}, {}, {})", block.x, block.y, block.z);
}

std::string describe_mask(unsigned lanes) { return fmt::format("0x{:08x}", lanes); }

}  // namespace tilewise::simt
