#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/base/finding.hpp"
#include "common/gpu/gpu_profile.hpp"

/// How a program that runs kernels on the simulator talks to it, beside the CUDA functions
/// themselves (common/simt/include/cuda_runtime.h).
namespace tilewise::simt {

/// The GPU whose limits and properties the simulator takes on. Call before the first launch.
void use_device(const core::GpuProfile& profile);

/// Operating-system threads that blocks spread over; by default one a core, at most 16: each keeps
/// up to 1,024 guarded stacks, two mappings a stack, and Linux allows a process 65,530 mappings.
void set_worker_threads(int count);

/// A launch that ran.
struct LaunchRecord {
  /// As written in the source, e.g. "matmul_shared<16>"; empty where the toolkit cannot tell.
  std::string kernel;
  std::array<unsigned, 3> grid = {};
  std::array<unsigned, 3> block = {};
  std::size_t dynamic_shared_bytes = 0;
  std::string file;  ///< empty where unknown, as on a GPU
  int line = 0;
  std::size_t static_shared_bytes = 0;  ///< on a GPU; the simulator's are in its profiles
  /// Of the kernel's arguments, each aligned as its type; 0 on a GPU.
  std::size_t argument_bytes = 0;
};

/// The launches since the last call.
std::vector<LaunchRecord> take_launches();

/// Bytes that host code has copied from device memory to its own since the last call.
std::size_t take_bytes_copied_to_host();

using core::ThreadOfGrid;

/// Something a kernel may not do, found while it ran. Where the checked build sees an access that
/// can still be made, the launch goes on; otherwise it ends there and counts as failed.
using core::Finding;

/// What was found since the last call.
std::vector<Finding> take_findings();

/// How a program is told of as it runs, of whatever length it is.
struct Listening {
  /// Called after every launch, on the thread that made it: findings, launches and profiles wait to
  /// be taken.
  void (*tell)() = nullptr;
  /// Calls of CUDA functions that return an error are findings.
  bool to_failed_calls = false;
  /// A launch that ends early is an error once, and the device goes on; else it refuses all further
  /// work, as CUDA has it.
  bool device_survives = false;
  /// Device memory that a program does not give back before it resets the device is a finding.
  bool to_leaks = false;
};
void listen(const Listening& listening);

/// The program ends: what it has not given back are findings, where anybody listens to leaks.
void note_leaks();

/// Gives a range of device memory a name for messages: the part of an allocation that a kernel is
/// meant to use. A later range replaces those it overlaps.
void describe_buffer(const void* device_pointer, std::size_t bytes, const char* name);

/// A fatal signal, with what the simulator knows of the moment: signal, address, instruction,
/// thread and explanation.
using core::Fault;

/// Explains SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGXCPU (sent by whoever limits the time)
/// on any thread that runs kernels. `report` is called on an alternate stack, must be
/// async-signal-safe, and is followed by the signal's default action.
void install_fault_handler(void (*report)(const Fault&));

}  // namespace tilewise::simt
