#pragma once

#include <string_view>

#include "grading/doctor/checkup.hpp"

namespace tilewise::grading {

/// GPUs, their driver and the tools of the CUDA Toolkit.
CheckupSection gpu_section();

/// Whether the driver lets users count what kernels do (ncu), as it says in
/// /proc/driver/nvidia/params; empty: it does not say.
bool counts_for_users(std::string_view driver_parameters);

}  // namespace tilewise::grading
