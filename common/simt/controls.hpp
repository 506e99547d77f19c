#pragma once

#include "common/simt/simt.hpp"
#include "common/simt/trace.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// The functions of simt.hpp and watch.hpp, as the run-time library hands them out. It does so
/// once, to the program that runs kernels: kernel files are linked with the same library, and could
/// call them to turn checks off or to take away what was found.
struct Controls {
  decltype(&simt::use_device) use_device;
  decltype(&simt::set_worker_threads) set_worker_threads;
  decltype(&simt::take_launches) take_launches;
  decltype(&simt::take_bytes_copied_to_host) take_bytes_copied_to_host;
  decltype(&simt::take_diagnostics) take_diagnostics;
  void (*describe_buffer)(const void* device_pointer, const BufferDescription& description);
  decltype(&simt::install_fault_handler) install_fault_handler;
  decltype(&simt::watch) watch;
  decltype(&simt::take_profiles) take_profiles;
  decltype(&simt::take_traces) take_traces;
  decltype(&simt::place_in_device_memory) place_in_device_memory;
};

/// Null from the second call on.
extern "C" const Controls* tilewise_simt_controls();

}  // namespace tilewise::simt
