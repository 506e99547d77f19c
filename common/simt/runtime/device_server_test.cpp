#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/simt/host_apart.hpp"
#include "common/simt/include/cuda_runtime.h"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/remote_device.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace tilewise::simt {
namespace {

struct Call {
  void (*kernel)(int*, int);
  int* to;
  int value;
};

void add(int* to, int value) { *to += value; }
void add_anyway(int* to, int value) { *to += value; }

void run_call(void* context) {
  const Call& call = *static_cast<Call*>(context);
  call.kernel(call.to, call.value);
}

void run_something(void*) {}

constexpr char kernel_name[] = "add";
int variable = 1;

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
std::uintptr_t address_of(void (*function)(void*)) {
  return reinterpret_cast<std::uintptr_t>(function);
}

ModuleMap module_map() {
  ModuleMap map;
  map.literals.emplace_back(address_of(kernel_name), address_of(kernel_name) + sizeof kernel_name);
  map.variables.emplace_back(address_of(&variable), address_of(&variable) + sizeof variable);
  map.chosen_kernel_runs.insert(address_of(run_call));
  map.kernels.insert(reinterpret_cast<std::uintptr_t>(add));
  return map;
}

/// The result of a host part that runs in a process of its own: how its last request was handled,
/// and its exit status, which is 0 if it has seen what it should.
struct Served {
  HostRequest last;
  int status;
};

Served serve(const std::function<int(int socket)>& host_code) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  void* first = nullptr;
  cudaMalloc(&first, 1);
  prepare_to_part();
  const pid_t host = fork();
  if (host == 0) {
    close(ends[0]);
    become_host_part(ends[1]);
    _exit(host_code(ends[1]));
  }
  close(ends[1]);
  static const bool opened = (become_device_part(host), true);
  static_cast<void>(opened);
  const ModuleMap map = module_map();
  std::string message;
  Served served = {HostRequest::served, -1};
  while (served.last == HostRequest::served) {
    served.last = serve_host_part(ends[0], map, message);
    if (served.last == HostRequest::message) served.last = HostRequest::served;
  }
  close(ends[0]);
  int status = 0;
  waitpid(host, &status, 0);
  served.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  cudaDeviceReset();
  return served;
}

#define SEE(condition) \
  if (!(condition)) return __LINE__

LaunchConfiguration launch_of(const char* name) { return {name, name, 7, 1, 2, 0, nullptr}; }

TEST(DeviceServer, DoesWhatTheHostPartAsks) {
  static_cast<void>(take_bytes_copied_to_host());
  const Served served = serve([](int) {
    int* numbers = nullptr;
    SEE(cudaMalloc(&numbers, 3 * sizeof(int)) == cudaSuccess);
    const int given[] = {1, 2, 3};
    SEE(cudaMemcpy(numbers, given, sizeof given, cudaMemcpyHostToDevice) == cudaSuccess);
    SEE(cudaMemcpy(numbers, numbers + 2, sizeof(int), cudaMemcpyDefault) == cudaSuccess);
    SEE(cudaMemset(numbers + 1, 0, sizeof(int)) == cudaSuccess);
    Call call{add, numbers, 5};
    run_grid(launch_of(kernel_name), {run_call, &call, sizeof call});
    SEE(cudaGetLastError() == cudaSuccess);
    int taken[3] = {};
    SEE(cudaMemcpy(taken, numbers, sizeof taken, cudaMemcpyDeviceToHost) == cudaSuccess);
    SEE(taken[0] == 13 && taken[1] == 0 && taken[2] == 3);
    int copy = 8;
    SEE(cudaMemcpyToSymbol(variable, &copy, sizeof copy) == cudaSuccess);
    SEE(variable == 1);
    SEE(cudaMemcpyFromSymbol(&copy, variable, sizeof copy) == cudaSuccess && copy == 8);
    std::size_t free_bytes = 0, total_bytes = 0;
    SEE(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess && free_bytes < total_bytes);
    SEE(cudaFree(numbers) == cudaSuccess);
    SEE(tell_device_part("done"));
    return 0;
  });
  EXPECT_EQ(served.status, 0) << "a line of this file";
  EXPECT_EQ(variable, 8);
  EXPECT_EQ(take_bytes_copied_to_host(), 3 * sizeof(int) + sizeof(int) + sizeof(std::size_t));
  variable = 1;
}

/// Whether this process may read there, as a kernel would.
bool is_readable(const std::byte* address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool readable = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

std::byte* allocated(std::size_t bytes) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
  return static_cast<std::byte*>(memory);
}

/// Whether the page is in memory, accessible or not.
bool is_in_memory(const std::byte* address) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char state = 0;
  EXPECT_EQ(mincore(reinterpret_cast<void*>(address_of(address) / page * page), page, &state), 0);
  return (state & 1) != 0;
}

// The next allocation gets these pages, but nothing that they held; until then nobody accesses
// them.
TEST(DeviceServer, KeepsPagesOfSmallMatricesClosed) {
  serve([](int) { return 0; });  // allocated memory stays accessible from here on
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  std::byte* const whole = allocated(mebibyte);
  std::memset(whole, 1, mebibyte);
  ASSERT_EQ(cudaFree(whole), cudaSuccess);
  EXPECT_FALSE(is_readable(whole));
  EXPECT_TRUE(is_in_memory(whole));
  std::byte* const half = allocated(mebibyte / 2);
  ASSERT_EQ(half, whole);
  for (std::size_t i = 0; i < mebibyte / 2; ++i) ASSERT_EQ(half[i], std::byte{0xff}) << i;
  EXPECT_FALSE(is_readable(half + mebibyte / 2));
  EXPECT_FALSE(is_readable(half - 1));
  std::byte* const large = allocated(32 * mebibyte);
  ASSERT_EQ(cudaFree(large), cudaSuccess);
  EXPECT_FALSE(is_readable(large));
  EXPECT_FALSE(is_in_memory(large));
  cudaDeviceReset();
}

TEST(DeviceServer, TellsErrors) {
  const Served served = serve([](int) {
    int host = 0;
    int* number = nullptr;
    SEE(cudaMalloc(&number, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
    SEE(cudaMalloc(&number, sizeof(int)) == cudaSuccess);
    SEE(cudaMemcpy(number, &host, 400, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    SEE(cudaMemcpy(&host, number, 400, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    SEE(cudaMemcpy(number, &host, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    SEE(cudaMemset(&host, 0, 4) == cudaErrorInvalidValue);
    SEE(cudaFree(&host) == cudaErrorInvalidValue);
    SEE(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    Call call{add_anyway, number, 5};
    run_grid(launch_of(kernel_name), {run_call, &call, sizeof call});
    SEE(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    LaunchConfiguration too_large = launch_of(kernel_name);
    too_large.block = 4096;
    call.kernel = add;
    run_grid(too_large, {run_call, &call, sizeof call});
    SEE(cudaGetLastError() == cudaErrorInvalidConfiguration);
    static char context[2 * most_context_bytes];
    run_grid(launch_of(kernel_name), {run_call, context, sizeof context});
    SEE(cudaGetLastError() == cudaErrorInvalidValue);
    SEE(cudaDeviceReset() == cudaSuccess);
    return 0;
  });
  EXPECT_EQ(served.status, 0) << "a line of this file";
  const std::vector<Finding> found = take_findings();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, "refused");
  EXPECT_THAT(found[0].message, testing::HasSubstr("by cudaMemcpyDeviceToHost its target would be "
                                                   "host memory, and it is device memory"));
  EXPECT_EQ(found[1].message, "add is launched, but what it points to is no __global__ function");
  EXPECT_EQ(found[2].kind, "reset");
}

DeviceRequest request_of(DeviceCall call) {
  DeviceRequest request = {};
  request.magic = DeviceRequest::expected_magic;
  request.call = call;
  return request;
}

/// Returns the reply's error for a request that no function of the run-time has made.
cudaError_t error_of(int socket, const DeviceRequest& request) {
  DeviceReply reply = {};
  send_all(socket, &request, sizeof request);
  receive_all(socket, &reply, sizeof reply);
  return static_cast<cudaError_t>(reply.error);
}

TEST(DeviceServer, ReadsAndWritesNothingElseOfItsMemory) {
  const Served served = serve([](int socket) {
    DeviceRequest request = request_of(DeviceCall::copy_to_host);
    request.from = address_of(kernel_name);
    request.bytes = sizeof kernel_name;
    SEE(error_of(socket, request) == cudaErrorInvalidValue);
    request.from = address_of(&variable);
    request.bytes = sizeof variable + 1;
    SEE(error_of(socket, request) == cudaErrorInvalidValue);
    request.bytes = ~std::uint64_t{0};
    SEE(error_of(socket, request) == cudaErrorInvalidValue);
    request = request_of(DeviceCall::copy_on_device);
    request.to = address_of(&variable);
    request.from = address_of(&socket);
    request.bytes = sizeof variable;
    SEE(error_of(socket, request) == cudaErrorInvalidValue);
    request = request_of(DeviceCall::raise_dynamic_shared_limit);
    request.value = -1;
    SEE(error_of(socket, request) == cudaErrorInvalidValue);
    return 0;
  });
  EXPECT_EQ(served.status, 0) << "a line of this file";
}

TEST(DeviceServer, KnowsWhatTheRunTimeDoesNotAsk) {
  const auto launch = [](const char* name, void (*run)(void*), std::uint64_t bytes) {
    DeviceRequest request = request_of(DeviceCall::launch);
    request.kernel = request.file = address_of(name);
    request.run = address_of(run);
    request.bytes = bytes;
    return request;
  };
  static constexpr char elsewhere[] = "All tests passed";
  DeviceRequest no_magic = request_of(DeviceCall::allocate);
  no_magic.magic = 0;
  DeviceRequest long_message = request_of(DeviceCall::message);
  long_message.bytes = most_message_bytes + 1;
  const DeviceRequest cases[] = {
      no_magic,
      long_message,
      request_of(static_cast<DeviceCall>(99)),
      launch(kernel_name, run_something, sizeof(Call)),
      launch(elsewhere, run_call, sizeof(Call)),
      launch(kernel_name + sizeof kernel_name, run_call, sizeof(Call)),
      launch(kernel_name, run_call, most_context_bytes + 1),
  };
  for (const DeviceRequest& request : cases) {
    const Served served = serve([&](int socket) {
      send_all(socket, &request, sizeof request);
      return 0;
    });
    EXPECT_EQ(served.last, HostRequest::impossible) << &request - cases;
  }
}

TEST(DeviceServer, FaultsWhereTheCallerWould) {
  for (const bool reads : {true, false}) {
    const Served served = serve([=](int) {
      int* number = nullptr;
      cudaMalloc(&number, sizeof(int));
      void* const nowhere = reinterpret_cast<void*>(std::uintptr_t{64});
      return reads ? cudaMemcpy(number, nowhere, sizeof(int), cudaMemcpyHostToDevice)
                   : cudaMemcpy(nowhere, number, sizeof(int), cudaMemcpyDeviceToHost);
    });
    EXPECT_EQ(served.status, -1) << "ended by a signal";
  }
}

}  // namespace
}  // namespace tilewise::simt
#endif
