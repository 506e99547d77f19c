#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {

Toolchain toolchain(Backend backend, const std::string& stage_id) {
  if (backend == Backend::cuda) return cuda_toolchain(stage_id);
#if TILEWISE_HAVE_SIMT
  return simt_toolchain(stage_id);
#else
  throw std::runtime_error("this build of Tilewise has no simulator");
#endif
}

}  // namespace tilewise::grading
