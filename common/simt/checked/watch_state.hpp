#pragma once

#include "common/simt/watch.hpp"

namespace tilewise::simt {

const Watch& current_watch();

/// For take_profiles().
void keep_profile(KernelProfile profile);

}  // namespace tilewise::simt
