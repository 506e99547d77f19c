#include "grading/builder/toolchain.hpp"

#include <stdexcept>

namespace tilewise::grading {

Toolchain toolchain(Backend backend, Flavour flavour, const std::string& stage_id) {
  if (backend == Backend::cuda) {
    if (flavour != Flavour::fast) {
      throw std::runtime_error("only the simulator runs kernels of a checked or debugger's build");
    }
    return cuda_toolchain(stage_id);
  }
#if TILEWISE_HAVE_SIMT
  return simt_toolchain(flavour, stage_id);
#else
  throw std::runtime_error("this build of Tilewise has no simulator");
#endif
}

}  // namespace tilewise::grading
