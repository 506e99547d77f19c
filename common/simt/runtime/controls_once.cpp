#include <atomic>

#include "common/simt/controls.hpp"

namespace tilewise::simt {

extern "C" const Controls* tilewise_simt_controls() {
  static constexpr Controls controls = {
      .use_device = use_device,
      .set_worker_threads = set_worker_threads,
      .take_launches = take_launches,
      .take_bytes_copied_to_host = take_bytes_copied_to_host,
      .take_diagnostics = take_diagnostics,
      .describe_buffer = describe_buffer,
      .install_fault_handler = install_fault_handler,
      .watch = watch,
      .take_profiles = take_profiles,
      .take_traces = take_traces,
      .place_in_device_memory = place_in_device_memory,
      .give_shared_room = give_shared_room,
      .prepare_to_part = prepare_to_part,
      .become_host_part = become_host_part,
      .become_device_part = become_device_part,
      .tell_device_part = tell_device_part,
      .serve_host_part = serve_host_part,
      .explain_host_fault = explain_host_fault,
      .use_module_file = use_module_file,
  };
  static std::atomic<bool> is_given = false;
  return is_given.exchange(true) ? nullptr : &controls;
}

}  // namespace tilewise::simt
