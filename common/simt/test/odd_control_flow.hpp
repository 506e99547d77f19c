#pragma once

#include <cuda_runtime.h>

#include <map>
#include <string>

namespace tilewise::simt {

/// Launches a kernel of one warp.
/// @param in (rows, 32)
/// @param out (2, 32)
using OddKernel = void (*)(const int* in, int* out);

/// The kernels in the copies of odd_control_flow.cu, by the name of the layout and of the kernel.
inline std::map<std::string, std::map<std::string, OddKernel>>& odd_kernels() {
  static std::map<std::string, std::map<std::string, OddKernel>> all;
  return all;
}

}  // namespace tilewise::simt
