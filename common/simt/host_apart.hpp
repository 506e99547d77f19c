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
/// The child, the host part, has no device memory. It runs the module's host code, whose calls of
/// the CUDA functions go to the parent, the device part, which runs the module's kernels and
/// nothing else of it. Both have the module at the same addresses. Linux only.
namespace tilewise::simt {

/// What of a module a host part, which is not to be trusted, may name to the device part.
struct ModuleMap {
  using Range = std::pair<std::uintptr_t, std::uintptr_t>;  ///< [first, second)
  std::vector<Range> literals;                              ///< memory that nobody can write to
  std::vector<Range> variables;                             ///< by address
  std::set<std::uintptr_t> named_kernel_runs, chosen_kernel_runs;  ///< of tilewise/launch.hpp
  std::set<std::uintptr_t> kernels;  ///< functions declared __global__
};

/// Before the fork, in the parent: gives a shared variable its room (a SharedRoom of the module's).
/// @throws std::length_error
void give_shared_room(void* room);

/// Before the fork, in the parent: what of memory the child is not to have.
void prepare_to_part();

/// After the fork, in the child: the device is at the other end of the socket.
void become_host_part(int socket);

/// After the fork, in the parent: device memory stays open, since only kernels run here, and
/// all threads that they will ever need start. Signals that tell of a time limit are passed on to
/// the host part where no kernel is to blame.
void become_device_part(pid_t host);

/// In the child: says something to whoever serves the device. @return false where nobody does.
bool tell_device_part(std::string_view message);

/// In the child: goes on after an error of a device that has been reset meanwhile.
void forget_device_errors();

enum class HostRequest {
  served,
  message,     ///< for the caller
  gone,        ///< the host part has closed its end
  impossible,  ///< which the run-time does not ask
};

/// In the parent: waits for one request of the host part's, and does what it asks.
HostRequest serve_host_part(int socket, const ModuleMap& module, std::string& message);

/// In the parent: explains a fault of the host part, as far as device memory is concerned.
void explain_host_fault(Fault& fault);

/// From here on what the checks want to know of the module that is loaded at `base`, source lines
/// for one, is read from this open file, so that nothing needs to be opened.
void use_module_file(int file, const void* base);

}  // namespace tilewise::simt
