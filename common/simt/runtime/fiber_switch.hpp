#pragma once

#include <cstddef>

#include "common/simt/include/tilewise/fibers.hpp"

namespace tilewise::simt {

/// Returns the context of a fiber that has not begun: it starts at `entry`, which never returns.
/// @param top the top of its stack, a multiple of 16
Context fresh_context(std::byte* top, std::size_t bytes, void (*entry)(Transfer));

}  // namespace tilewise::simt
