#pragma once

#include "common/simt/host_apart.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/trace.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// The functions of simt.hpp, trace.hpp, watch.hpp and host_apart.hpp, as the run-time library
/// hands them out. It does so only once, to the program that runs kernels: kernel files are linked
/// with the same library, and could otherwise call them to turn checks off or to take the findings
/// away.
struct Controls {
  decltype(&simt::use_device) use_device;
  decltype(&simt::set_worker_threads) set_worker_threads;
  decltype(&simt::take_launches) take_launches;
  decltype(&simt::take_bytes_copied_to_host) take_bytes_copied_to_host;
  decltype(&simt::take_findings) take_findings;
  decltype(&simt::listen) listen;
  decltype(&simt::note_leaks) note_leaks;
  void (*describe_buffer)(const void* device_pointer, const BufferDescription& description);
  decltype(&simt::install_fault_handler) install_fault_handler;
  decltype(&simt::watch) watch;
  decltype(&simt::take_profiles) take_profiles;
  decltype(&simt::take_traces) take_traces;
  decltype(&simt::place_in_device_memory) place_in_device_memory;
  decltype(&simt::give_shared_room) give_shared_room;
  decltype(&simt::prepare_to_part) prepare_to_part;
  decltype(&simt::become_host_part) become_host_part;
  decltype(&simt::become_device_part) become_device_part;
  decltype(&simt::forget_device_errors) forget_device_errors;
  decltype(&simt::tell_device_part) tell_device_part;
  decltype(&simt::serve_host_part) serve_host_part;
  decltype(&simt::explain_host_fault) explain_host_fault;
  decltype(&simt::use_module_file) use_module_file;
};

/// Returns null from the second call on.
extern "C" const Controls* tilewise_simt_controls();

}  // namespace tilewise::simt
