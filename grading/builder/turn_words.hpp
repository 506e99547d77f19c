#pragma once

#include <string>
#include <string_view>

#include "common/base/finding.hpp"
#include "common/simt/rewrite/accesses.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// For a race between a store and a read of shared memory in one loop: says where a __syncthreads()
/// stands in an iteration, and so where one is missing.
/// @param earlier, later the two accesses, in the order of their lines
SourceAccount missing_barrier(const simt::SourceAccess& earlier, const simt::SourceAccess& later,
                              const core::Finding& finding, std::string_view source);

/// For a read of data that an asynchronous copy has not brought yet: says which copies are in no
/// group.
SourceAccount missing_commit(const core::Finding& finding, std::string_view source);

/// For a pointer that moves: says where and, if it does so in a nested loop, that the outer loop
/// does not reset it.
SourceAccount moving_pointer(const simt::SourceAccess& access, std::string_view source);

}  // namespace tilewise::grading
