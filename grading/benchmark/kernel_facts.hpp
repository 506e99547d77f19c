#pragma once

#include <cstddef>
#include <functional>

namespace tilewise::benchmark {

/// What the compiler and the device say of a kernel.
struct KernelFacts {
  int registers = 0;             ///< of a thread
  std::size_t local_bytes = 0;   ///< of a thread: what did not fit into registers
  std::size_t shared_bytes = 0;  ///< of a block
  double occupancy_pct = 0;      ///< theoretical
};

/// The last kernel that `call()` launches.
/// @throws std::runtime_error if it launches none, cuda::Error
KernelFacts facts_of_kernel_in(const std::function<void()>& call);

}  // namespace tilewise::benchmark
