#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "grading/worker/module.hpp"
#include "grading/worker/module_image.hpp"

namespace tilewise::grading {

/// Parts this process: a child runs the module's static constructors, and from then on its contract
/// functions; kernels run here. The module must have been loaded without its initialisers. Both
/// processes are confined. Should the child end, so does this process, and in the same way.
/// @param memory shared with the examiner, which neither host code nor kernels can reach
/// @throws std::system_error, Tampering
std::unique_ptr<HostProcess> start_host_process(const ModuleImage& image, const Module& module,
                                                std::span<std::byte> memory);

}  // namespace tilewise::grading
