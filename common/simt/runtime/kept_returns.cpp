#include "common/simt/runtime/kept_returns.hpp"

#include <random>

#include "common/simt/include/tilewise/fibers.hpp"
#include "common/simt/runtime/block.hpp"

/// What addresses are kept under; 0 where none are, on threads that run no block. Nobody knows what
/// to write in place of one who does not know it.
extern "C" {
__thread std::uint64_t tilewise_simt_return_key __attribute__((tls_model("initial-exec"))) = 0;
}

namespace tilewise::simt {
namespace {

std::uint64_t key_of_this_process() {
  static const std::uint64_t key = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random() | 1;
  }();
  return key;
}

}  // namespace

KeepingReturns::KeepingReturns() { tilewise_simt_return_key = key_of_this_process(); }
KeepingReturns::~KeepingReturns() { tilewise_simt_return_key = 0; }

extern "C" void tilewise_simt_refuse_return() {
  Block& block = Block::of_this_thread();
  if (block.watch() != nullptr) block.watch()->pause_recording();
  const LaunchConfiguration& launch = *block.launch();
  follow(block.break_off_access(
      {.kind = "out-of-bounds",
       .message = "a function of the kernel does not return to where it was called from: something "
                  "has been written past the end of a local variable",
       .file = launch.file,
       .line = launch.line}));
}

}  // namespace tilewise::simt
