#pragma once

namespace tilewise::grading {

/// From here on this process starts no other and signals none but itself, where libseccomp was found
/// when Tilewise was built. For good.
void confine_cuda_worker();

}  // namespace tilewise::grading
