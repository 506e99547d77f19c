#include "common/simt/watch.hpp"

#include <utility>

#include "common/simt/recorder/global_shadow.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/watch_state.hpp"

namespace tilewise::simt {

namespace {

Watch& wanted_watch() {
  static Watch wanted;
  return wanted;
}

std::vector<KernelProfile>& kept_profiles() {
  static auto* profiles = new std::vector<KernelProfile>;  // outlives static destructors
  return *profiles;
}

std::vector<KernelTrace>& kept_traces() {
  static auto* traces = new std::vector<KernelTrace>;  // outlives static destructors
  return *traces;
}

}  // namespace

void watch(const Watch& wanted) {
  wanted_watch() = wanted;
  GlobalShadow::instance().follow(wanted.checks);
}

const Watch& current_watch() { return wanted_watch(); }

void keep_profile(KernelProfile profile) { kept_profiles().push_back(std::move(profile)); }

void keep_trace(KernelTrace trace) { kept_traces().push_back(std::move(trace)); }

bool has_all_traces() { return kept_traces().size() >= most_traced_launches; }

std::vector<KernelTrace> take_traces() { return std::exchange(kept_traces(), {}); }

std::uint32_t place_in_device_memory(const void* device_pointer) {
  return static_cast<std::uint32_t>(static_cast<const std::byte*>(device_pointer) -
                                    DeviceMemory::instance().base());
}

std::vector<KernelProfile> take_profiles() { return std::exchange(kept_profiles(), {}); }

}  // namespace tilewise::simt
