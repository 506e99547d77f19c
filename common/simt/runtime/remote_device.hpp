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

/// What passes between the two processes of a program whose host part is apart from the device
/// (host_apart.hpp). A request, and the bytes that it announces, go one way, a reply the other.
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
  launch,   ///< `bytes` follow: the context of the launch's body
  message,  ///< `bytes` follow; there is no reply. Not for the device: for whoever serves it.
  note_refused_copy,  ///< `value`: its kind; `to` and `from`: whether they are on the device
};

struct DeviceRequest {
  static constexpr std::uint32_t expected_magic = 0x57544344;  // "DCTW"

  std::uint32_t magic;
  DeviceCall call;
  std::uint64_t to;  ///< addresses of device memory, or of variables of the module
  std::uint64_t from;
  std::uint64_t bytes;
  std::int32_t value;  ///< of a launch: 1 for a cooperative one
  // Of a launch. Names are addresses of literals of the module.
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
  std::int32_t lasting_error;  ///< of the device from now on
  std::uint64_t first, second;
};

/// Arguments of a kernel, with room to spare: CUDA takes 4 KiB, and 32,764 bytes since 12.1.
inline constexpr std::size_t most_context_bytes = std::size_t{64} << 10;

inline constexpr std::size_t most_message_bytes = std::size_t{64} << 10;

/// @return false where the other side is gone, or `bytes` cannot be read (errno is EFAULT then)
bool send_all(int socket, const void* bytes, std::size_t count);
bool receive_all(int socket, void* bytes, std::size_t count);

/// The device as the host part of a program sees it that has none of its own.
class RemoteDevice {
 public:
  explicit RemoteDevice(int socket) : socket_(socket) {}

  /// Null where the device is in this process.
  static RemoteDevice* instance() { return instance_.get(); }
  static void use(int socket) { instance_ = std::make_unique<RemoteDevice>(socket); }

  cudaError_t allocate(void** pointer, std::size_t bytes);
  cudaError_t release(void* pointer);
  cudaError_t memory_info(std::size_t* free_bytes, std::size_t* total_bytes);
  cudaError_t copy_to_device(void* to, const void* from, std::size_t bytes);
  cudaError_t copy_to_host(void* to, const void* from, std::size_t bytes);
  cudaError_t copy_on_device(void* to, const void* from, std::size_t bytes);
  cudaError_t fill(void* to, int byte, std::size_t bytes);
  cudaError_t raise_dynamic_shared_limit(int bytes);
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
