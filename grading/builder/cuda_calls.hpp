#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// Why the host code of a submission may not refer to a function, by the linker's name; empty where
/// it may. Of CUDA it may call what launches kernels, holds memory of the device, copies by the
/// ways that are counted (cmake/TilewiseWrappedCalls.cmake), orders work and asks for properties.
std::string why_refused(std::string_view name);

}  // namespace tilewise::grading
