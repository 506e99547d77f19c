#include "grading/builder/toolchain.hpp"

#include <stdexcept>

namespace tilewise::grading {

Toolchain toolchain(Backend backend, Flavour flavour, const std::string& stage_id, bool covered) {
  if (backend == Backend::cuda) {
    if (covered) throw std::runtime_error("only the simulator counts how often lines are run");
    if (flavour != Flavour::fast) {
      throw std::runtime_error("only the simulator runs kernels of a checked or debugger's build");
    }
    return cuda_toolchain(stage_id);
  }
#if TILEWISE_HAVE_SIMT
  Toolchain tools = simt_toolchain(flavour, stage_id);
  if (covered) add_coverage(tools);
  return tools;
#else
  throw std::runtime_error("this build of Tilewise has no simulator");
#endif
}

}  // namespace tilewise::grading
