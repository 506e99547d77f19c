#pragma once

#include "common/simt/trace.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

const Watch& current_watch();

/// For take_profiles().
void keep_profile(KernelProfile profile);

/// For take_traces().
void keep_trace(KernelTrace trace);

/// Whether launches have left as many traces as are kept.
bool has_all_traces();

}  // namespace tilewise::simt
