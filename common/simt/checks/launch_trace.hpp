#pragma once

#include <cstdint>
#include <mutex>

#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/trace.hpp"

namespace tilewise::simt {

/// Collects what the blocks of a launch leave.
class LaunchTrace {
 public:
  /// Takes the trace of the block that has just run, if it leaves one.
  void add(BlockWatch& watch);

  /// What was collected. @param code an address in the kernel's code
  KernelTrace take(std::uintptr_t code);

 private:
  std::mutex mutex_;
  KernelTrace trace_;
};

}  // namespace tilewise::simt
