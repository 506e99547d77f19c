#include <fcntl.h>

#include "common/cuda/device_buffer.hpp"
#include "common/simt/host_apart.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/watch.hpp"
#include "grading/worker/backend.hpp"
#include "grading/worker/fault_report.hpp"
#include "grading/worker/simt_host_process.hpp"
#include "grading/worker/trace_text.hpp"

namespace tilewise::grading {
namespace {

Module load_in_this_process(const Hello& hello) {
  Module module(hello.module);
  set_module_base(module.base());
  return module;
}

}  // namespace

DeviceInfo start_device(const core::GpuProfile& profile) {
  simt::use_device(profile);
  cuda::DeviceBuffer(
      1);  // reserves device memory now, before a submission can use up the addresses
  return {profile.name,      profile.compute_major, profile.compute_minor, profile.sms,
          profile.clock_mhz, profile.dram_gb_s,     profile.l2_bytes};
}

void run_blocks_on_one_thread() { simt::set_worker_threads(1); }

#if defined(__linux__) && !defined(TILEWISE_SANITIZE)
namespace {

/// The file is never closed, because it must stay open while its module is loaded and while its
/// lines are looked up.
int open_for_good(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC); }

}  // namespace

std::unique_ptr<ExaminerMemory> examiner_memory(const Hello& hello) {
  return hello.writes_coverage ? mapped_memory(memory_fd) : memory_behind(memory_fd);
}

Module load_module(const Hello& hello) {
  if (hello.writes_coverage) return load_in_this_process(hello);  // coverage counts host code, too
  const ModuleImage image(hello.module);
  Module module("/proc/self/fd/" + std::to_string(image.without_initialisers()));
  set_module_base(module.base());
  simt::use_module_file(open_for_good(hello.module), module.base());
  module.run_host_code_in(start_host_process(image, module));
  return module;
}
#else
// Sanitizers manage memory and the end of a process in their own way, so host code stays here.
std::unique_ptr<ExaminerMemory> examiner_memory(const Hello&) { return mapped_memory(memory_fd); }

Module load_module(const Hello& hello) { return load_in_this_process(hello); }
#endif

void install_fault_handler() { simt::install_fault_handler(report_fault); }

void describe_payload(const void* payload, const BufferArgument& argument) {
  simt::describe_buffer(payload, {.name = argument.name,
                                  .bytes = argument.payload_bytes,
                                  .read_only = argument.read_only,
                                  .uninitialised = argument.uninitialised,
                                  .element_bytes = argument.element_bytes,
                                  .row_elements = argument.row_elements,
                                  .lower_triangular = argument.lower_triangular});
}

void watch(const std::optional<simt::Watch>& wanted) {
  simt::watch(wanted.value_or(simt::Watch{}));
}

Launches take_launches(const BindingTable&) {
  Launches launches;
  launches.list = simt::take_launches();
  launches.count = launches.list.size();
  return launches;
}

std::size_t take_bytes_for_the_host(const BindingTable&) {
  return simt::take_bytes_copied_to_host();
}

std::size_t copies_made(const BindingTable&) { return 0; }

std::vector<Finding> take_findings() { return simt::take_findings(); }

std::string take_traces(const std::vector<TracedBuffer>& buffers, std::size_t most_bytes) {
  TraceText trace;
  for (const TracedBuffer& buffer : buffers) {
    trace.buffers.push_back({buffer.name, simt::place_in_device_memory(buffer.payload)});
  }
  trace.kernels = simt::take_traces();
  return encode_trace(trace, most_bytes);
}

std::vector<KernelProfile> take_profiles() { return simt::take_profiles(); }

}  // namespace tilewise::grading
