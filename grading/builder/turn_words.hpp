#pragma once

#include <string>
#include <string_view>

#include "common/base/finding.hpp"
#include "common/simt/rewrite/accesses.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// Of a race between a store and a read of shared memory in one loop: where a __syncthreads()
/// stands in a turn, and so where one is missing.
/// @param earlier, later in the order of their lines
SourceAccount missing_barrier(const simt::SourceAccess& earlier, const simt::SourceAccess& later,
                              const core::Finding& finding, std::string_view source);

/// Of a read of what an asynchronous copy is still to bring: which copies are in no group.
SourceAccount missing_commit(const core::Finding& finding, std::string_view source);

/// Of a pointer that moves: where it does and, of two loops, that the outer one does not set it
/// anew.
SourceAccount moving_pointer(const simt::SourceAccess& access, std::string_view source);

}  // namespace tilewise::grading
