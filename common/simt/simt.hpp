#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/base/finding.hpp"
#include "common/gpu/gpu_profile.hpp"

/// The functions by which a program that runs kernels on the simulator talks to it, in addition to
/// the CUDA functions themselves (common/simt/include/cuda_runtime.h).
namespace tilewise::simt {

/// Sets the GPU whose limits and properties the simulator takes on. Must be called before the first
/// launch.
void use_device(const core::GpuProfile& profile);

/// Sets the number of operating-system threads that run blocks. The default is one for each core,
/// but at most 16: each keeps up to 1,024 guarded stacks with two mappings each, and Linux allows a
/// process 65,530 mappings.
void set_worker_threads(int count);

/// A launch that ran.
struct LaunchRecord {
  /// The kernel's name as written in the source, e.g. "matmul_shared<16>"; empty where the toolkit
  /// does not know it.
  std::string kernel;
  std::array<unsigned, 3> grid = {};
  std::array<unsigned, 3> block = {};
  std::size_t dynamic_shared_bytes = 0;
  std::string file;  ///< empty if unknown, as on a GPU
  int line = 0;
  std::size_t static_shared_bytes = 0;  ///< set on a GPU; the simulator gives it in its profiles
  /// The size of the kernel's arguments, each aligned as its type; 0 on a GPU.
  std::size_t argument_bytes = 0;
};

/// Returns the launches since the last call.
std::vector<LaunchRecord> take_launches();

/// Returns the number of bytes that host code has copied from device memory to its own since the
/// last call.
std::size_t take_bytes_copied_to_host();

using core::ThreadOfGrid;

/// Something forbidden that a kernel did while it ran. Where the checked build sees an access that
/// can still be made, the launch goes on; otherwise the launch ends there and counts as failed.
using core::Finding;

/// Returns the findings since the last call.
std::vector<Finding> take_findings();

/// What is reported while a program of any length runs, and how.
struct Listening {
  /// Called after every launch, on the thread that made it: findings, launches and profiles are
  /// ready to be taken.
  void (*tell)() = nullptr;
  /// Every call of a CUDA function that returns an error is a finding.
  bool to_failed_calls = false;
  /// A launch that ends early gives an error once, and the device goes on; otherwise the device
  /// refuses all further work, as CUDA does.
  bool device_survives = false;
  /// Device memory that a program does not free before it resets the device is a finding.
  bool to_leaks = false;
};
void listen(const Listening& listening);

/// Call when the program ends: reports the device memory that it has not freed as findings, if
/// Listening::to_leaks is set.
void note_leaks();

/// Names a range of device memory for messages: the part of an allocation that a kernel is meant to
/// use. A later range replaces those that it overlaps.
void describe_buffer(const void* device_pointer, std::size_t bytes, const char* name);

/// A fatal signal, with what the simulator knows of that moment: signal, address, instruction,
/// thread and explanation.
using core::Fault;

/// Explains SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGXCPU (which the process that limits the
/// time sends) on any thread that runs kernels. `report` is called on an alternate stack, must be
/// async-signal-safe, and is followed by the signal's default action.
void install_fault_handler(void (*report)(const Fault&));

}  // namespace tilewise::simt
