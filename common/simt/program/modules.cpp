/// \file
/// Modules of CUDA's driver interface. `lab check -cubin` and `-fatbin` compile a kernel file to a
/// library for the host, and a program that loads such a file launches its kernels by name. The
/// library's bytes may also come from any other file or from memory, as NVRTC supplies them
/// (run_time_compilation.cpp).
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <mutex>
#include <string>

#include "common/process/sandbox.hpp"
#include "common/simt/include/tilewise/driver_types.hpp"
#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/include/tilewise/launch_by_structure.hpp"

#define DRIVER extern "C" __attribute__((visibility("default"))) cudaError_t

namespace tilewise::program {
namespace {

/// Error numbers that the run-time has under other names.
constexpr auto no_binary_for_gpu = static_cast<cudaError_t>(209);
constexpr auto file_not_found = static_cast<cudaError_t>(301);
constexpr auto not_found = static_cast<cudaError_t>(500);

/// Functions that every module defines (grading/check/device_module.cpp).
using LaunchKernel = int (*)(const void* kernel, const void* configuration, void** arguments);
using FindVariable = void* (*)(const char* name, std::size_t* bytes);

struct Module {
  void* library;
  LaunchKernel launch;
  FindVariable find_variable;
};

struct Function {
  const Module* module;
  const void* kernel;
};

/// Keeps an object until the program ends, because findings name lines of its code.
template <class T>
T* keep(T one) {
  static std::mutex mutex;
  static auto* const all = new std::list<T>;
  const std::lock_guard lock(mutex);
  return &all->emplace_back(one);
}

/// The size of a library in memory; its section table is its end.
std::size_t bytes_of(const void* image) {
  ElfW(Ehdr) header;
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  return header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
}

cudaError_t load(Module** module, const void* image, std::size_t bytes) {
  if (bytes == 0) return no_binary_for_gpu;
  // The files stay while the program runs: their lines are read when something is found in them.
  static const grading::ScratchDirectory folder;
  static std::atomic<int> count = 0;
  const std::filesystem::path path = folder.path() / std::to_string(++count);
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(image), static_cast<std::streamsize>(bytes));
  file.close();
  if (!file) return cudaErrorMemoryAllocation;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return no_binary_for_gpu;
  const Module loaded{library,
                      reinterpret_cast<LaunchKernel>(dlsym(library, "tilewise_launch_kernel")),
                      reinterpret_cast<FindVariable>(dlsym(library, "tilewise_device_variable"))};
  if (loaded.launch == nullptr || loaded.find_variable == nullptr) return no_binary_for_gpu;
  *module = keep(loaded);
  return cudaSuccess;
}

cudaError_t launch(const Function* function, dim3 grid, dim3 block, unsigned shared_bytes,
                   cudaStream_t stream, void** arguments, bool cooperative) {
  if (function == nullptr) return cudaErrorInvalidResourceHandle;
  const simt::LaunchConfiguration configuration{nullptr,      "",     0, grid,       block,
                                                shared_bytes, stream, 0, cooperative};
  const cudaError_t before = cudaPeekAtLastError();
  const auto error = static_cast<cudaError_t>(
      function->module->launch(function->kernel, &configuration, arguments));
  // A launch returns while a GPU is still at work: the next call reports what has ended a kernel.
  const bool is_of_the_kernel = error == cudaErrorAssert || error == cudaErrorIllegalAddress ||
                                error == cudaErrorLaunchFailure;
  return is_of_the_kernel && before == cudaSuccess ? cudaSuccess : error;
}

}  // namespace
}  // namespace tilewise::program

using tilewise::program::Function;
using tilewise::program::Module;

DRIVER cuModuleLoadData(Module** module, const void* image) {
  if (module == nullptr || image == nullptr) return cudaErrorInvalidValue;
  return tilewise::program::load(module, image, tilewise::program::bytes_of(image));
}
DRIVER cuModuleLoadDataEx(Module** module, const void* image, unsigned /*options*/, int* /*names*/,
                          void** /*values*/) {
  return cuModuleLoadData(module, image);
}
DRIVER cuModuleLoadFatBinary(Module** module, const void* image) {
  return cuModuleLoadData(module, image);
}
DRIVER cuModuleLoad(Module** module, const char* path) {
  if (module == nullptr || path == nullptr) return cudaErrorInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file) return tilewise::program::file_not_found;
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  if (image.size() < sizeof(ElfW(Ehdr))) return tilewise::program::no_binary_for_gpu;
  return cuModuleLoadData(module, image.data());
}
DRIVER cuModuleUnload(Module* module) {
  return module == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
}
DRIVER cuModuleGetFunction(Function** function, const Module* module, const char* name) {
  if (function == nullptr || name == nullptr) return cudaErrorInvalidValue;
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  const void* const kernel = dlsym(module->library, name);
  if (kernel == nullptr) return tilewise::program::not_found;
  *function = tilewise::program::keep(Function{module, kernel});
  return cudaSuccess;
}
DRIVER cuModuleGetGlobal_v2(void** address, std::size_t* bytes, const Module* module,
                            const char* name) {
  if (name == nullptr) return cudaErrorInvalidValue;
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  std::size_t size = 0;
  void* const variable = module->find_variable(name, &size);
  if (variable == nullptr) return tilewise::program::not_found;
  if (bytes != nullptr) *bytes = size;
  if (address == nullptr) return cudaSuccess;
  return tilewise::simt::address_of_symbol(address, variable, size);
}

DRIVER cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const Function* function,
                                                   int block_size, std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
}
/// @param shared_bytes_of  returns the bytes for a block of some size; may be null
DRIVER cuOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, const Function* function,
                                        std::size_t (*shared_bytes_of)(int),
                                        std::size_t shared_bytes, int limit) {
  cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, function, shared_bytes, limit);
  if (shared_bytes_of == nullptr) return cudaSuccess;
  return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, function,
                                            shared_bytes_of(*block_size), limit);
}

/// A kernel's preferences make no difference here.
DRIVER cuFuncSetCacheConfig(const Function*, int) { return cudaSuccess; }
DRIVER cuFuncSetSharedMemConfig(const Function*, int) { return cudaSuccess; }

/// @param extra  arguments as one piece of memory, in which nothing says where one ends
DRIVER cuLaunchKernel(const Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                      cudaStream_t stream, void** arguments, void** extra) {
  if (extra != nullptr && arguments == nullptr) {
    return tilewise::simt::not_supported("cuLaunchKernel with CU_LAUNCH_PARAM_BUFFER_POINTER");
  }
  return tilewise::program::launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                                   shared_bytes, stream, arguments, false);
}
DRIVER cuLaunchCooperativeKernel(const Function* function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes, cudaStream_t stream,
                                 void** arguments) {
  return tilewise::program::launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                                   shared_bytes, stream, arguments, true);
}
