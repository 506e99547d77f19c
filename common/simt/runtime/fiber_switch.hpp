#pragma once

#include <cstddef>

#include "common/simt/include/tilewise/fibers.hpp"

namespace tilewise::simt {

/// Where a fiber goes on that has not begun: at the begin of `entry`, which never returns.
/// @param top of its stack, a multiple of 16
Context fresh_context(std::byte* top, std::size_t bytes, void (*entry)(Transfer));

}  // namespace tilewise::simt
