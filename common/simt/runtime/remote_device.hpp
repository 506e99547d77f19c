#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>

#include "common/simt/include/tilewise/errors.hpp"
#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/runtime/device_calls.hpp"

namespace tilewise::simt {

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
