#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "common/cuda/device_buffer.hpp"
#include "common/simt/simt.hpp"
#include "grading/worker/backend.hpp"
#include "grading/worker/fault_report.hpp"

namespace tilewise::grading {
namespace {

void report(const simt::Fault& fault) {
  FaultRecord record = {};
  record.signal = fault.signal;
  record.address = reinterpret_cast<std::uintptr_t>(fault.address);
  record.pc = reinterpret_cast<std::uintptr_t>(fault.pc);
  record.in_kernel = fault.in_kernel;
  std::copy(std::begin(fault.block), std::end(fault.block), record.block);
  std::copy(std::begin(fault.thread), std::end(fault.thread), record.thread);
  static_assert(sizeof record.kernel == sizeof fault.kernel);
  static_assert(sizeof record.explanation == sizeof fault.explanation);
  std::memcpy(record.kernel, fault.kernel, sizeof record.kernel);
  std::memcpy(record.explanation, fault.explanation, sizeof record.explanation);
  report_fault(record);
}

}  // namespace

DeviceInfo start_device(const core::GpuProfile& profile) {
  simt::use_device(profile);
  cuda::DeviceBuffer(
      1);  // reserves device memory now, before a submission can use up the addresses
  return {profile.name,      profile.compute_major, profile.compute_minor, profile.sms,
          profile.clock_mhz, profile.dram_gb_s,     profile.l2_bytes};
}

void install_fault_handler() { simt::install_fault_handler(report); }

void name_payload(const void* payload, std::size_t bytes, const std::string& name) {
  simt::describe_buffer(payload, bytes, name.c_str());
}

Launches take_launches(const BindingTable&) {
  Launches launches;
  for (const simt::LaunchRecord& record : simt::take_launches()) {
    launches.list.push_back({record.kernel, std::to_array(record.grid), std::to_array(record.block),
                             record.dynamic_shared_bytes, record.file, record.line});
  }
  launches.count = launches.list.size();
  return launches;
}

std::vector<Diagnostic> take_diagnostics() {
  std::vector<Diagnostic> diagnostics;
  for (simt::Diagnostic& found : simt::take_diagnostics()) {
    diagnostics.push_back({found.kind, found.message, found.file, found.line});
  }
  return diagnostics;
}

}  // namespace tilewise::grading
