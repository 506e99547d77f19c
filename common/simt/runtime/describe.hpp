#pragma once

#include <cstdint>
#include <string>

#include "common/simt/include/tilewise/vector_types.hpp"

/// How messages name threads, blocks, lane masks and what a site does.
namespace tilewise::simt {

std::string describe(uint3 thread);         ///< "thread (3, 1, 0)"
std::string describe_block(uint3 block);    ///< "block (0, 2, 0)"
std::string describe_mask(unsigned lanes);  ///< "0x0000ffff"
const char* verb(std::uint32_t site);       ///< "reads", "writes" or "updates"

}  // namespace tilewise::simt
