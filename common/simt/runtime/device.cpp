#include "common/simt/runtime/device.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/simt/controls.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

namespace {

struct State {
  std::optional<core::GpuProfile> profile;
  cudaError_t last_error = cudaSuccess;
  cudaError_t lasting_error = cudaSuccess;
  std::map<const void*, std::size_t> raised_dynamic_shared;  ///< by the kernel, in bytes
  std::vector<LaunchRecord> launches;
  std::atomic<std::size_t> bytes_to_host = 0;
  std::mutex findings_mutex;  // blocks on several threads may find something at once
  std::vector<Finding> findings;
  Watch watch;
  std::vector<KernelProfile> profiles;
  std::vector<KernelTrace> traces;
  Listening listening;
  /// record_refusal() has already explained why a call is about to fail.
  bool is_explained = false;
};

State& state() {
  static State* instance = new State;  // outlives static destructors that use it
  return *instance;
}

}  // namespace

void use_device(const core::GpuProfile& profile) { state().profile = profile; }

std::vector<LaunchRecord> take_launches() { return std::exchange(state().launches, {}); }

std::size_t take_bytes_copied_to_host() { return state().bytes_to_host.exchange(0); }

std::vector<Finding> take_findings() {
  const std::lock_guard lock(state().findings_mutex);
  return std::exchange(state().findings, {});
}

void listen(const Listening& listening) { state().listening = listening; }

// A device that has failed has lost its memory, and programs then end in whatever way they can.
void note_leaks() {
  if (!state().listening.to_leaks || device::lasting_error() != cudaSuccess) return;
  for (const DeviceMemory::Range& range : DeviceMemory::instance().kept()) {
    Finding finding{.kind = "leak"};
    if (range.description == nullptr) {
      finding.message = tr("{} bytes of device memory are never freed", range.bytes);
    } else {
      const auto& [name, file, line] =
          std::tie(range.description->name, range.description->file, range.description->line);
      finding.message = tr("{} is never freed, {} bytes of device memory", name, range.bytes);
      finding.file = file;
      finding.line = line;
    }
    finding.hint = tr("cudaFree() gives it back");
    device::record(std::move(finding));
  }
}

void watch(const Watch& wanted) {
  state().watch = wanted;
  for (Observer* observer : process_observers()) observer->watch(wanted);
}

std::vector<KernelProfile> take_profiles() { return std::exchange(state().profiles, {}); }

std::vector<KernelTrace> take_traces() { return std::exchange(state().traces, {}); }

cudaError_t not_supported(const char* call) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (told.insert(call).second) {
    std::fprintf(stderr,
                 "tilewise: %s cannot be simulated and returns cudaErrorNotSupported; what can is "
                 "listed in docs/cuda-names.md\n",
                 call);
  }
  return device::fail(cudaErrorNotSupported, call);
}

namespace device {

const core::GpuProfile& profile() {
  std::optional<core::GpuProfile>& chosen = state().profile;
  if (!chosen) chosen = core::gpu_profile(core::default_gpu);
  return *chosen;
}

cudaError_t fail(cudaError_t error, const char* function) {
  if (error != cudaSuccess) state().last_error = error;
  const bool is_explained = std::exchange(state().is_explained, false);
  if (state().listening.to_failed_calls && error != cudaSuccess && !is_explained) {
    note_failed_call(error, function);
  }
  return error;
}

void fail_for_ever(cudaError_t error) {
  if (state().listening.device_survives) {
    state().last_error = error;
    return;
  }
  if (state().lasting_error == cudaSuccess) state().lasting_error = error;
}

cudaError_t lasting_error() { return state().lasting_error; }

bool is_whole_program() { return state().listening.tell != nullptr; }

void forget_errors() { state().last_error = state().lasting_error = cudaSuccess; }

std::size_t dynamic_shared_limit(const void* kernel) {
  const std::size_t limit = profile().default_shared_bytes_per_block();
  const auto& raised = state().raised_dynamic_shared;
  const auto found =
      kernel == nullptr
          ? std::ranges::max_element(raised, {}, [](const auto& each) { return each.second; })
          : raised.find(kernel);
  return found == raised.end() ? limit : std::max(limit, found->second);
}

cudaError_t raise_dynamic_shared_limit(const void* kernel, std::size_t bytes) {
  if (bytes > profile().shared_bytes_per_block) return fail(cudaErrorInvalidValue);
  state().raised_dynamic_shared[kernel] = bytes;
  return cudaSuccess;
}

LaunchRecord record_of(const LaunchConfiguration& launch) {
  return {.kernel = launch.kernel,
          .grid = {launch.grid.x, launch.grid.y, launch.grid.z},
          .block = {launch.block.x, launch.block.y, launch.block.z},
          .dynamic_shared_bytes = launch.dynamic_shared_bytes,
          .file = launch.file,
          .line = launch.line,
          .argument_bytes = launch.argument_bytes};
}

void record(const LaunchConfiguration& launch) { state().launches.push_back(record_of(launch)); }

void note_bytes_to_host(std::size_t bytes) { state().bytes_to_host += bytes; }

void record(Finding finding) {
  const std::lock_guard lock(state().findings_mutex);
  state().findings.push_back(std::move(finding));
}

void record_explanation(Finding finding) {
  {
    // The first one explains the others, of which there may be any number.
    const std::lock_guard lock(state().findings_mutex);
    const auto is_like_it = [&](const Finding& found) { return found.kind == finding.kind; };
    const bool is_known = std::any_of(state().findings.begin(), state().findings.end(), is_like_it);
    if (is_known && !is_whole_program()) return;
  }
  if (state().listening.to_failed_calls && finding.file.empty()) add_place_of_call(finding);
  record(std::move(finding));
}

void record_refusal(std::string message, const char* file, int line) {
  state().is_explained = true;
  record_explanation(
      {.kind = "refused", .message = std::move(message), .file = file, .line = line});
}

void record_refused_copy(cudaMemcpyKind kind, bool to_device, bool from_device) {
  static constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                          "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDeviceToDevice) return;
  const bool says_to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool says_from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool wrong_target = says_to_device != to_device;
  if (!wrong_target && says_from_device == from_device) return;  // for example, it was too long
  static constexpr const char* of_the_course =
      ". A, B, C and all that a contract function is given are on the device: a kernel takes them "
      "as "
      "they are";
  const bool is_course = !is_whole_program();
  const char* const is = (wrong_target ? to_device : from_device) ? "device" : "host";
  record_refusal(std::string("cudaMemcpy returned cudaErrorInvalidValue: by ") + names[kind] +
                 " its " + (wrong_target ? "target" : "source") + " would be " +
                 (std::string_view(is) == "host" ? "device" : "host") + " memory, and it is " + is +
                 " memory" + (is_course ? of_the_course : ""));
}

void record(KernelProfile profile) { state().profiles.push_back(std::move(profile)); }

void record(KernelTrace trace) { state().traces.push_back(std::move(trace)); }

void tell_news() {
  if (is_whole_program()) state().listening.tell();
}

Watch watch_of_next_launch() {
  Watch watch = state().watch;
  watch.sample = watch.sample && watch.counters && !watch.checks;
  watch.trace = watch.trace && state().traces.size() < most_traced_launches;
  return watch;
}

}  // namespace device
}  // namespace tilewise::simt

cudaError_t cudaGetLastError() {
  using namespace tilewise::simt;
  if (device::lasting_error() != cudaSuccess) return device::lasting_error();
  return std::exchange(state().last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  using namespace tilewise::simt;
  return device::lasting_error() != cudaSuccess ? device::lasting_error() : state().last_error;
}

namespace tilewise::simt {

extern "C" const Controls* tilewise_simt_controls() {
  static constexpr Controls controls = {
      .use_device = use_device,
      .set_worker_threads = set_worker_threads,
      .take_launches = take_launches,
      .take_bytes_copied_to_host = take_bytes_copied_to_host,
      .take_findings = take_findings,
      .listen = listen,
      .note_leaks = note_leaks,
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
      .forget_device_errors = forget_device_errors,
      .tell_device_part = tell_device_part,
      .serve_host_part = serve_host_part,
      .explain_host_fault = explain_host_fault,
      .use_module_file = use_module_file,
  };
  static std::atomic<bool> is_given = false;
  if (is_given.exchange(true)) return nullptr;
  core::speak_as_told();  // while files can still be read
  return &controls;
}

Findings& Findings::instance() {
  static Findings* findings = new Findings;  // outlives static destructors that use it
  return *findings;
}

void Findings::start_launch() {
  const std::lock_guard lock(mutex_);
  sites_.clear();
  found_.clear();
  added_ = 0;
}

bool Findings::any() {
  const std::lock_guard lock(mutex_);
  return !found_.empty();
}

bool Findings::knows(const std::string& kind, std::uint32_t site, std::uint32_t other_site,
                     std::uint32_t block) {
  const std::lock_guard lock(mutex_);
  const auto [lowest, is_new] = sites_.try_emplace({kind, site, other_site}, block);
  if (is_new) return found_.size() >= most;
  if (lowest->second <= block) return true;
  lowest->second = block;
  return false;
}

void Findings::add(Finding found, std::uint32_t block, std::optional<unsigned> warp) {
  const std::lock_guard lock(mutex_);
  const auto [low, high] = std::minmax(found.line, found.other_line);
  const std::tuple place{found.kind, found.file, low, high};
  const auto known = found_.find(place);
  if (known == found_.end() ? found_.size() >= most : known->second.block <= block) return;
  found_.insert_or_assign(place, Found{std::move(found), block, warp, added_++});
}

std::vector<Findings::Found> Findings::in_order() const {
  std::vector<Found> all;
  for (const auto& [place, found] : found_) all.push_back(found);
  std::ranges::sort(all, {}, [](const Found& f) { return std::pair(f.block, f.number); });
  const auto together = [](const Found& a, const Found& b) {
    return a.warp && a.warp == b.warp && a.block == b.block && a.finding.kind == b.finding.kind &&
           a.finding.file == b.finding.file;
  };
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if_not(begin + 1, all.end(),
                                      [&](const Found& next) { return together(*begin, next); });
    std::ranges::stable_sort(begin, end, {}, [](const Found& f) { return f.finding.line; });
    begin = end;
  }
  return all;
}

void Findings::finish_launch() {
  const std::lock_guard lock(mutex_);
  for (Found& found : in_order()) {
    Finding& told = found.finding;
    const auto [low, high] = std::minmax(told.line, told.other_line);
    if (told.kind == "warp-race" && found_.contains({"race", told.file, low, high})) continue;
    device::record(std::move(told));
  }
  found_.clear();
}

}  // namespace tilewise::simt
