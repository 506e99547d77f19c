#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>
#include <string>

#include "common/base/language.hpp"
#include "common/simt/host_apart.hpp"
#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/shared_memory.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/faults.hpp"
#include "common/simt/runtime/remote_device.hpp"
#include "common/simt/runtime/thread_pool.hpp"

// The device part's end of the socket. Whatever arrives here may be forged.
namespace tilewise::simt {

namespace {

bool lies_in(const std::vector<ModuleMap::Range>& ranges, std::uint64_t address,
             std::uint64_t bytes) {
  return std::ranges::any_of(ranges, [&](const ModuleMap::Range& range) {
    return address >= range.first && address <= range.second && bytes <= range.second - address;
  });
}

/// Returns the text of a literal of the module; null if there is none.
const char* literal_at(const ModuleMap& module, std::uint64_t address) {
  for (const ModuleMap::Range& range : module.literals) {
    if (address < range.first || address >= range.second) continue;
    const auto* text = reinterpret_cast<const char*>(address);
    return std::memchr(text, '\0', range.second - address) == nullptr ? nullptr : text;
  }
  return nullptr;
}

/// Returns the error if it is one that a request may have, because a kernel could have put any
/// number where errors are kept, for the host to read.
std::int32_t as_told(cudaError_t error) {
  static constexpr cudaError_t known[] = {cudaSuccess,
                                          cudaErrorInvalidValue,
                                          cudaErrorMemoryAllocation,
                                          cudaErrorInvalidConfiguration,
                                          cudaErrorInvalidDeviceFunction,
                                          cudaErrorIllegalAddress,
                                          cudaErrorLaunchFailure};
  return std::ranges::find(known, error) == std::end(known) ? cudaErrorUnknown : error;
}

/// One request that is being served.
class Service {
 public:
  Service(int socket, const ModuleMap& module) : socket_(socket), module_(module) {}

  HostRequest serve(std::string& message) {
    if (!receive_all(socket_, &request_, sizeof request_)) return HostRequest::gone;
    if (request_.magic != DeviceRequest::expected_magic) return HostRequest::impossible;
    switch (request_.call) {
      case DeviceCall::allocate:
        return allocate();
      case DeviceCall::release:
        return release();
      case DeviceCall::memory_info:
        return memory_info();
      case DeviceCall::copy_to_device:
        return copy_to_device();
      case DeviceCall::copy_to_host:
        return copy_to_host();
      case DeviceCall::copy_on_device:
        return copy_on_device();
      case DeviceCall::fill:
        return fill();
      case DeviceCall::raise_dynamic_shared_limit:
        return answer(request_.value < 0
                          ? cudaErrorInvalidValue
                          : device::raise_dynamic_shared_limit(
                                address(request_.to), static_cast<std::size_t>(request_.value)));
      case DeviceCall::reset:
        return refuse_reset();
      case DeviceCall::note_refused_copy:
        return note_refused_copy();
      case DeviceCall::launch:
        return launch();
      case DeviceCall::message:
        return take_message(message);
    }
    return HostRequest::impossible;
  }

 private:
  static void* address(std::uint64_t number) { return reinterpret_cast<void*>(number); }

  HostRequest answer(cudaError_t error, std::uint64_t first = 0, std::uint64_t second = 0) {
    const DeviceReply reply = {as_told(error), as_told(device::lasting_error()), first, second};
    return send_all(socket_, &reply, sizeof reply) ? HostRequest::served : HostRequest::gone;
  }

  HostRequest allocate() {
    void* pointer = nullptr;
    const cudaError_t error = cudaMalloc(&pointer, std::size_t{request_.bytes});
    if (error == cudaSuccess) handed_out().insert(pointer);
    return answer(error, reinterpret_cast<std::uintptr_t>(pointer));
  }

  /// Returns the memory that the host part has allocated, and may free.
  static std::set<void*>& handed_out() {
    static std::set<void*> pointers;
    return pointers;
  }

  HostRequest release() {
    if (device::lasting_error() != cudaSuccess) return answer(device::lasting_error());
    const bool is_null = request_.to == 0;
    if (!is_null && handed_out().erase(address(request_.to)) == 0) {
      note_freed_argument();
      return answer(cudaErrorInvalidValue);
    }
    return answer(cudaFree(address(request_.to)));
  }

  /// Notes that an argument is freed. On a GPU, the caller could no longer use it.
  void note_freed_argument() const {
    const auto freed = DeviceMemory::instance().range_at(address(request_.to));
    if (!freed || freed->description == nullptr) return;
    device::record(Finding{
        .kind = "free",
        .message = tr("cudaFree() is given {0}, an argument, which belongs to whoever has called: "
                      "after it on a GPU nobody can use {0} any more",
                      freed->description->name)});
  }

  /// Refuses a reset, because it would free memory that belongs to others.
  HostRequest refuse_reset() {
    device::record(
        Finding{.kind = "reset",
                .message = tr("cudaDeviceReset() frees all of the GPU's memory, that of the "
                              "arguments, too")});
    return answer(cudaSuccess);
  }

  HostRequest note_refused_copy() {
    device::record_refused_copy(static_cast<cudaMemcpyKind>(request_.value), request_.to != 0,
                                request_.from != 0);
    return answer(cudaSuccess);
  }

  HostRequest memory_info() {
    std::size_t free_bytes = 0, total_bytes = 0;
    const cudaError_t error = cudaMemGetInfo(&free_bytes, &total_bytes);
    device::note_bytes_to_host(sizeof free_bytes);  // a kernel could have left as many bytes there
    return answer(error, free_bytes, total_bytes);
  }

  /// Whether the range is device memory or a variable of the module: the host part may name nothing
  /// else.
  bool is_on_device(std::uint64_t start) const {
    return DeviceMemory::instance().holds(address(start), request_.bytes) ||
           lies_in(module_.variables, start, request_.bytes);
  }

  cudaError_t check_copy(bool to_device, bool from_device) const {
    if (device::lasting_error() != cudaSuccess) return device::lasting_error();
    const bool possible =
        (!to_device || is_on_device(request_.to)) && (!from_device || is_on_device(request_.from));
    return possible ? cudaSuccess : cudaErrorInvalidValue;
  }

  HostRequest copy_to_device() {
    const cudaError_t error = check_copy(true, false);
    if (error != cudaSuccess) return skip_payload() ? answer(error) : HostRequest::gone;
    DeviceMemory::instance().note_copy(address(request_.to), nullptr, request_.bytes);
    return receive_all(socket_, address(request_.to), request_.bytes) ? answer(cudaSuccess)
                                                                      : HostRequest::gone;
  }

  HostRequest copy_to_host() {
    const cudaError_t error = check_copy(false, true);
    if (error != cudaSuccess) return answer(error);
    device::note_bytes_to_host(request_.bytes);
    const HostRequest answered = answer(cudaSuccess);
    if (answered != HostRequest::served) return answered;
    return send_all(socket_, address(request_.from), request_.bytes) ? HostRequest::served
                                                                     : HostRequest::gone;
  }

  HostRequest copy_on_device() {
    const cudaError_t error = check_copy(true, true);
    if (error != cudaSuccess) return answer(error);
    DeviceMemory::instance().note_copy(address(request_.to), address(request_.from),
                                       request_.bytes);
    std::memmove(address(request_.to), address(request_.from), request_.bytes);
    return answer(cudaSuccess);
  }

  HostRequest fill() {
    const cudaError_t error = check_copy(true, false);
    if (error != cudaSuccess) return answer(error);
    DeviceMemory::instance().note_copy(address(request_.to), &request_.value, request_.bytes);
    std::memset(address(request_.to), request_.value, request_.bytes);
    return answer(cudaSuccess);
  }

  bool skip_payload() {
    std::array<std::byte, 4096> bytes;
    for (std::uint64_t left = request_.bytes; left > 0;) {
      const std::size_t some = std::min<std::uint64_t>(left, bytes.size());
      if (!receive_all(socket_, bytes.data(), some)) return false;
      left -= some;
    }
    return true;
  }

  HostRequest launch() {
    alignas(64) static std::array<std::byte, most_context_bytes> context;
    const char* const kernel = literal_at(module_, request_.kernel);
    const char* const file = literal_at(module_, request_.file);
    const bool named = module_.named_kernel_runs.contains(request_.run);
    const bool chosen = module_.chosen_kernel_runs.contains(request_.run);
    if (kernel == nullptr || file == nullptr || (!named && !chosen) ||
        request_.bytes > context.size()) {
      return HostRequest::impossible;
    }
    if (!receive_all(socket_, context.data(), request_.bytes)) return HostRequest::gone;
    const LaunchConfiguration configuration = {
        kernel,
        file,
        request_.line,
        {request_.grid[0], request_.grid[1], request_.grid[2]},
        {request_.block[0], request_.block[1], request_.block[2]},
        request_.dynamic_shared_bytes,
        nullptr,
        request_.argument_bytes,
        request_.value != 0,
        address(request_.to)};
    if (chosen) {
      std::uintptr_t function = 0;
      if (request_.bytes < sizeof function) return HostRequest::impossible;
      std::memcpy(&function, context.data(), sizeof function);
      if (!module_.kernels.contains(function)) return refuse_kernel(configuration);
    }
    static_cast<void>(cudaGetLastError());
    run_grid(configuration, {reinterpret_cast<void (*)(void*)>(request_.run), context.data(),
                             std::size_t{request_.bytes}});
    return answer(cudaGetLastError());
  }

  HostRequest refuse_kernel(const LaunchConfiguration& configuration) {
    device::record(
        Finding{.kind = "launch",
                .message = tr("{} is launched, but what it points to is no __global__ function",
                              configuration.kernel),
                .file = configuration.file,
                .line = configuration.line});
    return answer(cudaErrorInvalidDeviceFunction);
  }

  HostRequest take_message(std::string& message) {
    if (request_.bytes > most_message_bytes) return HostRequest::impossible;
    message.resize(request_.bytes);
    return receive_all(socket_, message.data(), message.size()) ? HostRequest::message
                                                                : HostRequest::gone;
  }

  int socket_;
  const ModuleMap& module_;
  DeviceRequest request_ = {};
};

}  // namespace

HostRequest serve_host_part(int socket, const ModuleMap& module, std::string& message) {
  return Service(socket, module).serve(message);
}

void give_shared_room(void* room) { reserve_shared(*static_cast<SharedRoom*>(room)); }

void prepare_to_part() {
#ifdef MADV_DONTFORK
  const DeviceMemory& memory = DeviceMemory::instance();
  madvise(memory.base(), memory.capacity(), MADV_DONTFORK);
#endif
}

void become_host_part(int socket) {
  // This keeps the addresses reserved, so that nothing else gets mapped there, and a pointer into
  // device memory is still recognised.
  const DeviceMemory& memory = DeviceMemory::instance();
  mmap(memory.base(), memory.capacity(), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  RemoteDevice::use(socket);
}

void forget_device_errors() { device::forget_errors(); }

bool tell_device_part(std::string_view message) { return RemoteDevice::instance()->tell(message); }

void become_device_part(pid_t host) {
  signal(SIGPIPE, SIG_IGN);  // a host part that is gone is noticed by the error of a write
  DeviceMemory::instance().stay_open();
  ThreadPool::instance().start();
  pass_time_limits_to(host);
}

void explain_host_fault(Fault& fault) { explain(fault, nullptr, SI_USER); }

}  // namespace tilewise::simt
