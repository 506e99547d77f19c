#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simt/simt.hpp"

/// How a program keeps a module's host code away from device memory, for which refusing system
/// calls is not enough: the program loads the module without running any of its code, and forks.
/// The child, the host part, has no device memory. It runs the module's host code and sends that
/// code's CUDA calls to the parent, the device part, which runs the module's kernels and nothing
/// else of it. Both have the module at the same addresses. Linux only.
namespace tilewise::simt {

/// The parts of a module that the host part, which is not trusted, may name to the device part.
struct ModuleMap {
  using Range = std::pair<std::uintptr_t, std::uintptr_t>;         ///< [first, second)
  std::vector<Range> literals;                                     ///< read-only memory
  std::vector<Range> variables;                                    ///< sorted by address
  std::set<std::uintptr_t> named_kernel_runs, chosen_kernel_runs;  ///< see tilewise/launch.hpp
  std::set<std::uintptr_t> kernels;  ///< functions declared __global__
};

/// Call before the fork, in the parent: reserves the room of a shared variable (a SharedRoom of the
/// module's).
/// @throws std::length_error
void give_shared_room(void* room);

/// Call before the fork, in the parent: marks the memory that the child is not to inherit.
void prepare_to_part();

/// Call after the fork, in the child: the device is at the other end of the socket.
void become_host_part(int socket);

/// Call after the fork, in the parent: device memory stays accessible, since only kernels run here,
/// and all threads that kernels will ever need are started. Signals of a time limit are passed on
/// to the host part where no kernel is to blame.
void become_device_part(pid_t host);

/// In the child: sends a message to the process that serves the device.
/// @return false if there is none.
bool tell_device_part(std::string_view message);

/// In the child: clears the errors of a device that has been reset in the meantime.
void forget_device_errors();

enum class HostRequest {
  served,
  message,     ///< a message for the caller
  gone,        ///< the host part has closed its end of the socket
  impossible,  ///< a request that the run-time never makes
};

/// In the parent: waits for one request from the host part, and serves it.
HostRequest serve_host_part(int socket, const ModuleMap& module, std::string& message);

/// In the parent: explains a fault of the host part, as far as it concerns device memory.
void explain_host_fault(Fault& fault);

/// From here on the checks read what they need of the module that is loaded at `base`, such as
/// source lines, from this open file, so that no file needs to be opened.
void use_module_file(int file, const void* base);

}  // namespace tilewise::simt
