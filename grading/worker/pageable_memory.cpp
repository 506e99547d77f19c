/// \file
/// Keeps kernels from the host's own memory, in the worker on CUDA.
///
/// Where the driver can (heterogeneous memory management, HMM), a kernel may read and write what
/// malloc() gave, a global, the stack or a file that is mapped: a submission could have the
/// processor compute there, and nothing would be copied that could be counted. The driver's module
/// for unified memory leaves that out for a process that asks for it when it first opens the
/// module, and libcuda opens it by the C library's ioctl(): this executable's own takes its place.
/// Source: uvm_linux_ioctl.h, uvm_types.h and uvm_api.h in NVIDIA's open-gpu-kernel-modules.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>

namespace {

constexpr unsigned long uvm_initialize = 0x30000001;

struct UvmInitializeParameters {
  std::uint64_t flags;
  std::uint32_t status;  ///< 0: success
};

// UVM_INIT_FLAGS_DISABLE_PAGEABLE_ACCESS, which later drivers know and which holds for hardware
// that shares its page tables with the processor, too (ATS), with UVM_INIT_FLAGS_DISABLE_HMM; the
// latter alone, which is all that a driver 580 takes; what libcuda has asked for.
constexpr std::uint64_t wishes[] = {0x4 | 0x1, 0x1, 0};

}  // namespace

extern "C" __attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...) {
  std::va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (request != uvm_initialize) {
    return static_cast<int>(syscall(SYS_ioctl, file, request, argument));
  }
  auto& parameters = *static_cast<UvmInitializeParameters*>(argument);
  const std::uint64_t asked_for = parameters.flags;
  int result = 0;
  for (const std::uint64_t wish : wishes) {
    parameters.flags = asked_for | wish;
    result = static_cast<int>(syscall(SYS_ioctl, file, request, argument));
    if (result != 0 || parameters.status == 0) break;
  }
  return result;
}
