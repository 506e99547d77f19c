#include <cuda_runtime.h>
#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "common/cuda/device_buffer.hpp"
#include "grading/worker/backend.hpp"
#include "grading/worker/fault_report.hpp"
#include "grading/worker/protocol.hpp"

#ifdef TILEWISE_HAVE_SECCOMP
#include <sched.h>
#include <seccomp.h>

#include <cerrno>
#include <initializer_list>
#endif

// Keeps kernels from the host's own memory, in the worker on CUDA.
//
// With heterogeneous memory management (HMM) a kernel may read and write memory from malloc(),
// globals, the stack and mapped files. A submission could then let the processor compute there,
// without any copy that could be counted. The driver's module for unified memory leaves HMM out for
// a process that asks for this when it first opens the module. libcuda opens the module by the C
// library's ioctl(), so this executable puts its own ioctl() in that one's place.
// Source: uvm_linux_ioctl.h, uvm_types.h and uvm_api.h in NVIDIA's open-gpu-kernel-modules.
namespace {

constexpr unsigned long uvm_initialize = 0x30000001;

struct UvmInitializeParameters {
  std::uint64_t flags;
  std::uint32_t status;  ///< 0 on success
};

// The flags to add, tried in this order. First, UVM_INIT_FLAGS_DISABLE_PAGEABLE_ACCESS, which only
// later drivers know and which also covers hardware that shares its page tables with the processor
// (ATS), together with UVM_INIT_FLAGS_DISABLE_HMM. Then the latter alone, because a driver 580
// takes no other. Last none, which leaves what libcuda has asked for.
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

namespace tilewise::grading {
namespace {

/// From here on this process can neither start another process nor signal any but itself, if
/// libseccomp was found when Tilewise was built. This cannot be undone.
//
// The CUDA driver opens devices for writing and talks to services, so most system calls stay
// allowed. But once its context exists, the driver starts no process. A process that a submission
// started could outlive its worker, compute without being counted, or keep the GPU busy while the
// reference solution is timed.
void confine_cuda_worker() {
#ifdef TILEWISE_HAVE_SECCOMP
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) return;
  const auto self = static_cast<scmp_datum_t>(getpid());
  // The filter applies to the driver's threads, too, which exist already.
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  for (const int call :
       {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(ptrace),
        SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_send_signal),
        SCMP_SYS(pidfd_getfd), SCMP_SYS(tkill), SCMP_SYS(setns), SCMP_SYS(unshare)}) {
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
  }
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                   SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // The flags of clone3() lie in memory, where no filter sees them. On ENOSYS the C library uses
  // clone() instead.
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)}) {
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 1, SCMP_A0(SCMP_CMP_NE, self));
  }
  seccomp_load(filter);
  seccomp_release(filter);
#endif
}

constexpr int device = 0;  // CUDA_VISIBLE_DEVICES chooses among several

int attribute(cudaDeviceAttr which) {
  int value = 0;
  TILEWISE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

DeviceInfo describe_device() {
  cudaDeviceProp properties;
  TILEWISE_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  DeviceInfo info;
  info.name = properties.name;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.sms = properties.multiProcessorCount;
  info.clock_mhz = attribute(cudaDevAttrClockRate) / 1e3;  // given in kHz
  // The clock is in kilohertz and the bus width in bits; data moves twice a clock (double data
  // rate).
  info.dram_gb_s = 2.0 * attribute(cudaDevAttrMemoryClockRate) *
                   attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 * 1e-6;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  return info;
}

void on_fatal_signal(int signal, siginfo_t* info, void*) {
  Fault record = {};
  record.signal = signal;
  record.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  report_fault(record);
  raise(signal);  // takes effect when this handler returns, and then by the default action
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

DeviceInfo start_device(const core::GpuProfile&) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    throw std::runtime_error(
        std::string("no usable NVIDIA GPU: ") +
        (status == cudaSuccess ? "the driver lists none" : cudaGetErrorString(status)) +
        ". Check that nvidia-smi lists one and that its driver is recent enough for this CUDA "
        "version, or use the simulator: --backend simt.");
  }
  TILEWISE_CUDA_CHECK(cudaSetDevice(device));
  TILEWISE_CUDA_CHECK(cudaFree(nullptr));  // creates the context, which takes up to seconds
  return describe_device();
}

void run_blocks_on_one_thread() {}

// The memory is mapped into this process, because the driver leaves no room to confine it as on the
// simulator.
std::unique_ptr<ExaminerMemory> examiner_memory(const Hello&) { return mapped_memory(memory_fd); }

Module load_module(const Hello& hello) {
  confine_cuda_worker();
  Module module(hello.module);
  set_module_base(module.base());
  return module;
}

void install_fault_handler() {
  // A handler cannot run on the stack whose overflow it reports. The size leaves room for the
  // unwinder.
  static std::array<char, 64 << 10> stack;
  stack_t alternate = {};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) {
    sigaction(signal, &action, nullptr);
  }
}

void describe_payload(const void*, const BufferArgument&) {}  // the hardware knows no names

void watch(const std::optional<simt::Watch>& wanted) {
  if (!wanted) return;
  throw std::runtime_error(
      "loads and stores are watched on the simulator only; use --backend simt.");
}

Launches take_launches(const BindingTable& bindings) {
  std::array<RecordedLaunch, max_listed> records;
  Launches launches;
  launches.count = bindings.take_launches(records.data(), records.size());
  for (std::size_t i = 0; i < std::min(launches.count, records.size()); ++i) {
    launches.list.push_back({demangled(records[i].kernel), std::to_array(records[i].grid),
                             std::to_array(records[i].block), records[i].dynamic_shared_bytes, "",
                             0, records[i].static_shared_bytes});
  }
  return launches;
}

std::size_t take_bytes_for_the_host(const BindingTable& bindings) {
  return bindings.take_bytes_for_the_host();
}

std::size_t copies_made(const BindingTable& bindings) { return bindings.copies_made(); }

std::vector<Finding> take_findings() { return {}; }  // compute-sanitizer finds them on CUDA

std::string take_traces(const std::vector<TracedBuffer>&, std::size_t) { return {}; }

std::vector<KernelProfile> take_profiles() { return {}; }  // Nsight Compute counts on CUDA

}  // namespace tilewise::grading
