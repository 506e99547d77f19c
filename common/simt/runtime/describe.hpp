#pragma once

#include <string>

#include "common/simt/include/tilewise/vector_types.hpp"

/// How messages name threads, blocks and lane masks.
namespace tilewise::simt {

std::string describe(uint3 thread);         ///< "thread (3, 1, 0)"
std::string describe_block(uint3 block);    ///< "block (0, 2, 0)"
std::string describe_mask(unsigned lanes);  ///< "0x0000ffff"

}  // namespace tilewise::simt
