#include "common/simt/controls.hpp"

#include <stdexcept>
#include <string>

// Programs are linked with this file, so that they find these functions in themselves, and no other
// code does.
namespace tilewise::simt {
namespace {

const Controls& controls() {
  static const Controls* const given = tilewise_simt_controls();
  if (given == nullptr) throw std::logic_error("somebody else controls the simulator");
  return *given;
}

}  // namespace

void use_device(const core::GpuProfile& profile) { controls().use_device(profile); }

void set_worker_threads(int count) { controls().set_worker_threads(count); }

std::vector<LaunchRecord> take_launches() { return controls().take_launches(); }

std::size_t take_bytes_copied_to_host() { return controls().take_bytes_copied_to_host(); }

std::vector<Finding> take_findings() { return controls().take_findings(); }

void listen(const Listening& listening) { controls().listen(listening); }

void note_leaks() { controls().note_leaks(); }

void describe_buffer(const void* device_pointer, std::size_t bytes, const char* name) {
  describe_buffer(device_pointer, {.name = name, .bytes = bytes});
}

void describe_buffer(const void* device_pointer, const BufferDescription& description) {
  controls().describe_buffer(device_pointer, description);
}

void install_fault_handler(void (*report)(const Fault&)) {
  controls().install_fault_handler(report);
}

void watch(const Watch& wanted) { controls().watch(wanted); }

std::vector<KernelProfile> take_profiles() { return controls().take_profiles(); }

std::vector<KernelTrace> take_traces() { return controls().take_traces(); }

std::uint32_t place_in_device_memory(const void* device_pointer) {
  return controls().place_in_device_memory(device_pointer);
}

void give_shared_room(void* room) { controls().give_shared_room(room); }

void prepare_to_part() { controls().prepare_to_part(); }

void become_host_part(int socket) { controls().become_host_part(socket); }

void become_device_part(pid_t host) { controls().become_device_part(host); }

void forget_device_errors() { controls().forget_device_errors(); }

bool tell_device_part(std::string_view message) { return controls().tell_device_part(message); }

HostRequest serve_host_part(int socket, const ModuleMap& module, std::string& message) {
  return controls().serve_host_part(socket, module, message);
}

void explain_host_fault(Fault& fault) { controls().explain_host_fault(fault); }

void use_module_file(int file, const void* base) { controls().use_module_file(file, base); }

}  // namespace tilewise::simt
