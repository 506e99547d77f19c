#include <cuda_runtime.h>
#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "common/cuda/device_buffer.hpp"
#include "grading/worker/backend.hpp"
#include "grading/worker/cuda_confinement.hpp"
#include "grading/worker/fault_report.hpp"
#include "grading/worker/protocol.hpp"

namespace tilewise::grading {
namespace {

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
  // Kilohertz times bits, twice a clock (double data rate), to 10^9 bytes.
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
  raise(signal);  // takes effect on return, by then with its default action
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

// In this process, which the driver leaves no room to confine as on the simulator.
Module load_module(const Hello& hello, std::span<std::byte>) {
  confine_cuda_worker();
  Module module(hello.module);
  set_module_base(module.base());
  return module;
}

void install_fault_handler() {
  // A handler cannot run on the stack whose overflow it reports. The size leaves the unwinder room.
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

std::vector<Finding> take_findings() { return {}; }  // compute-sanitizer's business

std::string take_traces(const std::vector<TracedBuffer>&, std::size_t) { return {}; }

std::vector<KernelProfile> take_profiles() { return {}; }  // Nsight Compute's

}  // namespace tilewise::grading
