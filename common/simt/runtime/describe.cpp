#include "common/simt/runtime/describe.hpp"

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

}  // namespace tilewise::simt
