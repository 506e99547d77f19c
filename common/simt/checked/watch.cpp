#include "common/simt/watch.hpp"

#include <utility>

#include "common/simt/checked/global_shadow.hpp"
#include "common/simt/checked/watch_state.hpp"

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

}  // namespace

void watch(const Watch& wanted) {
  wanted_watch() = wanted;
  GlobalShadow::instance().follow(wanted.checks);
}

const Watch& current_watch() { return wanted_watch(); }

void keep_profile(KernelProfile profile) { kept_profiles().push_back(std::move(profile)); }

std::vector<KernelProfile> take_profiles() { return std::exchange(kept_profiles(), {}); }

}  // namespace tilewise::simt
