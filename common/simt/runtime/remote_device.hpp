#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "common/simt/include/tilewise/errors.hpp"
#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"

/// The messages between the two processes of a program whose host part is apart from the device
/// (host_apart.hpp). A request, and the bytes that it announces, go one way; a reply goes the other
/// way.
namespace tilewise::simt {

enum class DeviceCall : std::uint32_t {
  allocate,
  release,
  memory_info,
  copy_to_device,  ///< `bytes` follow the request
  copy_to_host,    ///< `bytes` follow the reply, if there is no error
  copy_on_device,
  fill,
  raise_dynamic_shared_limit,
  reset,
  launch,  ///< `bytes` follow: the context of the launch's body
  /// `bytes` follow; there is no reply. It is for the process that serves the device, not for the
  /// device.
  message,
  note_refused_copy,  ///< `value`: its kind; `to` and `from`: whether they are on the device
};

struct DeviceRequest {
  static constexpr std::uint32_t expected_magic = 0x57544344;  // "DCTW"

  std::uint32_t magic;
  DeviceCall call;
  /// Addresses of device memory, or of variables of the module; of a launch, and of a limit on
  /// launches, `to` is the kernel's.
  std::uint64_t to;
  std::uint64_t from;
  std::uint64_t bytes;
  std::int32_t value;  ///< for a launch: 1 if it is cooperative
  // The following members describe a launch. Names are addresses of literals of the module.
  std::int32_t line;
  std::uint64_t kernel;
  std::uint64_t file;
  std::uint64_t run;
  std::uint64_t dynamic_shared_bytes;
  std::uint64_t argument_bytes;
  std::uint32_t grid[3];
  std::uint32_t block[3];
};

struct DeviceReply {
  std::int32_t error;          ///< cudaError_t of this call
  std::int32_t lasting_error;  ///< error of the device from now on
  std::uint64_t first, second;
};

/// The largest size of a kernel's arguments, with room to spare: CUDA takes 4 KiB, and 32,764 bytes
/// since 12.1.
inline constexpr std::size_t most_context_bytes = std::size_t{64} << 10;

inline constexpr std::size_t most_message_bytes = std::size_t{64} << 10;

/// @return false if the other side is gone, or if `bytes` cannot be accessed (errno is EFAULT then)
bool send_all(int socket, const void* bytes, std::size_t count);
bool receive_all(int socket, void* bytes, std::size_t count);

/// The device as seen by the host part of a program, which has no device of its own.
class RemoteDevice {
 public:
  explicit RemoteDevice(int socket) : socket_(socket) {}

  /// Returns null if the device is in this process.
  static RemoteDevice* instance() { return instance_.get(); }
  static void use(int socket) { instance_ = std::make_unique<RemoteDevice>(socket); }

  cudaError_t allocate(void** pointer, std::size_t bytes);
  cudaError_t release(void* pointer);
  cudaError_t memory_info(std::size_t* free_bytes, std::size_t* total_bytes);
  cudaError_t copy_to_device(void* to, const void* from, std::size_t bytes);
  cudaError_t copy_to_host(void* to, const void* from, std::size_t bytes);
  cudaError_t copy_on_device(void* to, const void* from, std::size_t bytes);
  cudaError_t fill(void* to, int byte, std::size_t bytes);
  cudaError_t raise_dynamic_shared_limit(const void* kernel, int bytes);
  void note_refused_copy(cudaMemcpyKind kind, bool to_device, bool from_device);
  void reset();
  void launch(const LaunchConfiguration& configuration, const LaunchBody& body);
  bool tell(std::string_view message);

 private:
  DeviceReply ask(DeviceRequest request, const void* payload = nullptr);
  void send(DeviceRequest& request, const void* payload);
  DeviceReply receive();

  static std::unique_ptr<RemoteDevice> instance_;
  std::mutex mutex_;  // threads of the host part take turns
  int socket_;
};

}  // namespace tilewise::simt
