#include "common/simt/runtime/remote_device.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "common/simt/runtime/device.hpp"

namespace tilewise::simt {

bool send_all(int socket, const void* bytes, std::size_t count) {
  const auto* next = static_cast<const std::byte*>(bytes);
  while (count > 0) {
    const ssize_t sent = write(socket, next, count);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    next += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* bytes, std::size_t count) {
  auto* next = static_cast<std::byte*>(bytes);
  while (count > 0) {
    const ssize_t received = read(socket, next, count);
    if (received < 0 && errno == EINTR) continue;
    if (received == 0) errno = EPIPE;
    if (received <= 0) return false;
    next += received;
    count -= static_cast<std::size_t>(received);
  }
  return true;
}

namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

DeviceRequest request_of(DeviceCall call) {
  DeviceRequest request = {};
  request.magic = DeviceRequest::expected_magic;
  request.call = call;
  return request;
}

/// Accesses a range of the caller's that the system has refused to read or write, to raise the
/// signal that an access by the caller would have raised.
template <class Byte>
void touch(Byte* range, std::size_t bytes) {
  constexpr std::size_t smallest_page = 4096;
  for (std::size_t i = 0; i < bytes; i += smallest_page) {
    volatile Byte& byte = range[i];
    if constexpr (std::is_const_v<Byte>) {
      static_cast<void>(char{byte});
    } else {
      byte = 0;
    }
  }
}

/// Without a device, there is nothing left to do. The device part has ended, and ends this process,
/// too.
[[noreturn]] void wait_for_the_end() {
  for (;;) pause();
}

}  // namespace

std::unique_ptr<RemoteDevice> RemoteDevice::instance_;

void RemoteDevice::send(DeviceRequest& request, const void* payload) {
  if (!send_all(socket_, &request, sizeof request)) wait_for_the_end();
  if (payload == nullptr || send_all(socket_, payload, request.bytes)) return;
  if (errno == EFAULT) touch(static_cast<const char*>(payload), request.bytes);
  wait_for_the_end();
}

/// Records errors of the reply as this process's own, which cudaGetLastError returns.
DeviceReply RemoteDevice::receive() {
  DeviceReply reply;
  if (!receive_all(socket_, &reply, sizeof reply)) wait_for_the_end();
  if (reply.lasting_error != cudaSuccess) {
    device::fail_for_ever(static_cast<cudaError_t>(reply.lasting_error));
  } else {
    device::fail(static_cast<cudaError_t>(reply.error));
  }
  return reply;
}

DeviceReply RemoteDevice::ask(DeviceRequest request, const void* payload) {
  const std::lock_guard lock(mutex_);
  send(request, payload);
  return receive();
}

cudaError_t RemoteDevice::allocate(void** pointer, std::size_t bytes) {
  DeviceRequest request = request_of(DeviceCall::allocate);
  request.bytes = bytes;
  const DeviceReply reply = ask(request);
  *pointer = reinterpret_cast<void*>(reply.first);
  return static_cast<cudaError_t>(reply.error);
}

cudaError_t RemoteDevice::release(void* pointer) {
  DeviceRequest request = request_of(DeviceCall::release);
  request.to = address_of(pointer);
  return static_cast<cudaError_t>(ask(request).error);
}

cudaError_t RemoteDevice::memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  const DeviceReply reply = ask(request_of(DeviceCall::memory_info));
  *free_bytes = reply.first;
  *total_bytes = reply.second;
  return static_cast<cudaError_t>(reply.error);
}

cudaError_t RemoteDevice::copy_to_device(void* to, const void* from, std::size_t bytes) {
  DeviceRequest request = request_of(DeviceCall::copy_to_device);
  request.to = address_of(to);
  request.bytes = bytes;
  return static_cast<cudaError_t>(ask(request, from).error);
}

cudaError_t RemoteDevice::copy_to_host(void* to, const void* from, std::size_t bytes) {
  DeviceRequest request = request_of(DeviceCall::copy_to_host);
  request.from = address_of(from);
  request.bytes = bytes;
  const std::lock_guard lock(mutex_);
  send(request, nullptr);
  const auto error = static_cast<cudaError_t>(receive().error);
  if (error != cudaSuccess || receive_all(socket_, to, bytes)) return error;
  if (errno == EFAULT) touch(static_cast<char*>(to), bytes);
  wait_for_the_end();
}

cudaError_t RemoteDevice::copy_on_device(void* to, const void* from, std::size_t bytes) {
  DeviceRequest request = request_of(DeviceCall::copy_on_device);
  request.to = address_of(to);
  request.from = address_of(from);
  request.bytes = bytes;
  return static_cast<cudaError_t>(ask(request).error);
}

cudaError_t RemoteDevice::fill(void* to, int byte, std::size_t bytes) {
  DeviceRequest request = request_of(DeviceCall::fill);
  request.to = address_of(to);
  request.bytes = bytes;
  request.value = byte;
  return static_cast<cudaError_t>(ask(request).error);
}

cudaError_t RemoteDevice::raise_dynamic_shared_limit(const void* kernel, int bytes) {
  DeviceRequest request = request_of(DeviceCall::raise_dynamic_shared_limit);
  request.to = address_of(kernel);
  request.value = bytes;
  return static_cast<cudaError_t>(ask(request).error);
}

void RemoteDevice::note_refused_copy(cudaMemcpyKind kind, bool to_device, bool from_device) {
  DeviceRequest request = request_of(DeviceCall::note_refused_copy);
  request.value = kind;
  request.to = to_device ? 1 : 0;
  request.from = from_device ? 1 : 0;
  ask(request);
}

void RemoteDevice::reset() {
  ask(request_of(DeviceCall::reset));
  device::forget_errors();
}

void RemoteDevice::launch(const LaunchConfiguration& configuration, const LaunchBody& body) {
  if (body.context_bytes > most_context_bytes) {
    device::fail(cudaErrorInvalidValue);
    return;
  }
  fflush(stdout);  // prints what was printed earlier before the kernel prints anything
  DeviceRequest request = request_of(DeviceCall::launch);
  request.kernel = address_of(configuration.kernel);
  request.to = address_of(configuration.function);
  request.file = address_of(configuration.file);
  request.line = configuration.line;
  request.value = configuration.cooperative ? 1 : 0;
  request.dynamic_shared_bytes = configuration.dynamic_shared_bytes;
  request.argument_bytes = configuration.argument_bytes;
  request.run = reinterpret_cast<std::uintptr_t>(body.run);
  request.bytes = body.context_bytes;
  const dim3 grid = configuration.grid, block = configuration.block;
  request.grid[0] = grid.x, request.grid[1] = grid.y, request.grid[2] = grid.z;
  request.block[0] = block.x, request.block[1] = block.y, request.block[2] = block.z;
  ask(request, body.context);
}

bool RemoteDevice::tell(std::string_view message) {
  DeviceRequest request = request_of(DeviceCall::message);
  request.bytes = message.size();
  const std::lock_guard lock(mutex_);
  return send_all(socket_, &request, sizeof request) &&
         send_all(socket_, message.data(), message.size());
}

}  // namespace tilewise::simt
