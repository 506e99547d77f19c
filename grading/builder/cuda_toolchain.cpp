#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "grading/builder/layout.hpp"
#include "grading/builder/toolchain.hpp"
#include "wrapped_symbols.hpp"

namespace tilewise::grading {
namespace {

PreparedSource as_written(const SourceFile& source) {
  return {fmt::format("#line 1 \"{}\"\n{}", source.name, source.text), ""};
}

/// Returns TILEWISE_CUDA_ARCH (sm_90, for a machine without a card) if it is set, otherwise the
/// architecture of this machine's card.
std::string architecture() {
  const char* chosen = std::getenv("TILEWISE_CUDA_ARCH");
  return chosen != nullptr && *chosen != '\0' ? chosen : "native";
}

}  // namespace

Toolchain cuda_toolchain(const std::string& stage_id) {
  Toolchain tools;
  tools.source_extension = ".cu";
  tools.compile = {cuda_compiler(),
                   "-std=c++17",
                   "-O3",
                   "-lineinfo",
                   "-arch=" + architecture(),
                   "-Xcompiler",
                   "-g1,-fPIC,-fvisibility=hidden",
                   "-w",
                   "-I",
                   layout().root / "labs" / stage_id,
                   "-I",
                   headers_for_kernels()};

  tools.inputs.push_back(ptx_header());
  tools.link = {tools.compile.front(),
                "-arch=" + architecture(),
                "-cudart",
                "static",
                "-shared",
                "-Xlinker",
                "-z,defs"};
  // The binding counts calls of these functions; cmake/TilewiseWrappedCalls.cmake lists them.
  for (const char* symbol : wrapped_symbols) {
    tools.link.insert(tools.link.end(), {"-Xlinker", fmt::format("--wrap={}", symbol)});
  }
  tools.prepare = as_written;
  return tools;
}

void add_cublas(Toolchain& cuda_tools) {
  cuda_tools.compile.insert(cuda_tools.compile.end(), {"-I", layout().root});
  cuda_tools.inputs.push_back(layout().root / "grading/stages/cublas_calls.hpp");
  cuda_tools.libraries.push_back("-lcublas");
  // NVIDIA installs the libraries beside nvcc; if they are elsewhere, the linker and the loader
  // know the place.
  for (const char* folder : {"lib64", "lib"}) {
    const std::string path = cuda_toolkit() / folder;
    cuda_tools.libraries.insert(cuda_tools.libraries.end(),
                                {"-L" + path, "-Xlinker", "-rpath," + path});
  }
}

namespace {

constexpr auto allowed_calls = std::to_array<std::string_view>({
    // Calls that compilers emit for kernels, variables and launches.
    "__cudaRegisterFatBinary",
    "__cudaRegisterFatBinaryEnd",
    "__cudaUnregisterFatBinary",
    "__cudaRegisterFunction",
    "__cudaRegisterVar",
    "__cudaInitModule",
    "__cudaGetKernel",
    "__cudaPushCallConfiguration",
    "__cudaPopCallConfiguration",
    "__cudaLaunchKernel",
    "__cudaRegisterHostVar",
    "__cudaRegisterLinkedBinary",
    // Launches, which are counted, and functions that describe kernels.
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaLaunchCooperativeKernel",
    "cudaFuncGetAttributes",
    "cudaFuncGetName",
    "cudaFuncSetAttribute",
    "cudaFuncSetCacheConfig",
    "cudaFuncSetSharedMemConfig",
    "cudaGetFuncBySymbol",
    "cudaOccupancyAvailableDynamicSMemPerBlock",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaOccupancyMaxActiveClusters",
    "cudaOccupancyMaxPotentialClusterSize",
    // Memory of the device; allocations on the host are counted.
    "cudaMalloc",
    "cudaMallocAsync",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaFree",
    "cudaFreeAsync",
    "cudaMemGetInfo",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaFreeHost",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaHostGetDevicePointer",
    "cudaHostGetFlags",
    "cudaDeviceGetDefaultMemPool",
    "cudaMemPoolGetAttribute",
    "cudaMemPoolSetAttribute",
    "cudaMemPoolTrimTo",
    "cudaPointerGetAttributes",
    "cudaGetSymbolAddress",
    "cudaGetSymbolSize",
    // Copies that are counted, or that bring no data to the host.
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpy2D",
    "cudaMemcpy2DAsync",
    "cudaMemcpyToSymbol",
    "cudaMemcpyToSymbolAsync",
    "cudaMemcpyFromSymbol",
    "cudaMemcpyFromSymbolAsync",
    "cudaMemset",
    "cudaMemsetAsync",
    "cudaMemset2D",
    "cudaMemset2DAsync",
    "cudaMemset3D",
    "cudaMemset3DAsync",
    // Order and time.
    "cudaStreamCreate",
    "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",
    "cudaStreamDestroy",
    "cudaStreamQuery",
    "cudaStreamSynchronize",
    "cudaStreamWaitEvent",
    "cudaStreamGetFlags",
    "cudaStreamGetPriority",
    "cudaStreamGetDevice",
    "cudaStreamGetId",
    "cudaStreamIsCapturing",
    "cudaStreamGetAttribute",
    "cudaStreamSetAttribute",
    "cudaEventCreate",
    "cudaEventCreateWithFlags",
    "cudaEventDestroy",
    "cudaEventElapsedTime",
    "cudaEventQuery",
    "cudaEventRecord",
    "cudaEventRecordWithFlags",
    "cudaEventSynchronize",
    "cudaDeviceSynchronize",
    // The device.
    "cudaChooseDevice",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetCacheConfig",
    "cudaDeviceGetLimit",
    "cudaDeviceGetSharedMemConfig",
    "cudaDeviceGetStreamPriorityRange",
    "cudaDeviceReset",
    "cudaDeviceSetCacheConfig",
    "cudaDeviceSetLimit",
    "cudaDeviceSetSharedMemConfig",
    "cudaDriverGetVersion",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceFlags",
    "cudaGetDeviceProperties",
    "cudaGetDeviceProperties_v2",
    "cudaInitDevice",
    "cudaRuntimeGetVersion",
    "cudaSetDevice",
    "cudaSetDeviceFlags",
    "cudaCtxResetPersistingL2Cache",
    // Errors.
    "cudaGetErrorName",
    "cudaGetErrorString",
    "cudaGetLastError",
    "cudaPeekAtLastError",
});

/// Ways to reach functions that are not linked.
constexpr auto loading_calls = std::to_array<std::string_view>({"dlopen",
                                                                "dlmopen",
                                                                "dlsym",
                                                                "dlvsym",
                                                                "dladdr",
                                                                "dladdr1",
                                                                "dlinfo",
                                                                "dl_iterate_phdr",
                                                                "__libc_dlopen_mode",
                                                                "__libc_dlsym",
                                                                "_dl_sym",
                                                                "_dl_open",
                                                                "_r_debug",
                                                                "_dl_find_object",
                                                                "_rtld_global",
                                                                "_rtld_global_ro",
                                                                "__tls_get_addr_opt",
                                                                "cudaGetDriverEntryPoint",
                                                                "cudaGetDriverEntryPointByVersion",
                                                                "cudaGetExportTable"});

bool is_in(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

/// Whether a name belongs to CUDA: to its run-time, its driver, or a library beside them.
bool is_of_cuda(std::string_view name) {
  if (name.starts_with("cuda") || name.starts_with("__cuda")) return true;
  if (name.starts_with("nvrtc") || name.starts_with("nvJitLink") || name.starts_with("nvml")) {
    return true;
  }
  return name.size() > 2 && name.starts_with("cu") &&
         std::isupper(static_cast<unsigned char>(name[2])) != 0;
}

/// Says why a call is refused, and what to call instead.
std::string reason_against(std::string_view name) {
  if (has(name, "Graph") || has(name, "Capture")) {
    return "kernels that a graph launches are not counted; launch them with <<<grid, block>>>";
  }
  if (has(name, "Managed") || has(name, "MemAdvise") || has(name, "Prefetch") ||
      has(name, "AttachMem")) {
    return "managed memory lets the host compute unseen; use cudaMalloc, or a __device__ variable";
  }
  if (has(name, "Pool")) return "memory pools may lie on the host; use cudaMallocAsync";
  if (has(name, "Memcpy")) return "such copies are not counted; use cudaMemcpy or cudaMemcpy2D";
  if (has(name, "HostFunc") || has(name, "Callback")) {
    return "host functions in a stream are not counted; call them when the stream is done";
  }
  if (has(name, "Array") || has(name, "Texture") || has(name, "Surface")) {
    return "arrays and textures are not counted; use cudaMalloc";
  }
  return "its work is not counted";
}

}  // namespace

std::string why_refused(std::string_view name) {
  if (is_in(name, loading_calls)) {
    return fmt::format(
        "'{}' leads to functions that are not counted; call what you need by its name", name);
  }
  if (!is_of_cuda(name) || is_in(name, allowed_calls)) return "";
  if (name == "__cudaRegisterManagedVar") return "a __managed__ variable: " + reason_against(name);
  if (!name.starts_with("cuda") && !name.starts_with("__cuda")) {
    return fmt::format(
        "'{}' is no function of the CUDA run-time, and its work is not counted; "
        "write the kernel yourself",
        name);
  }
  return fmt::format("'{}': {}", name, reason_against(name));
}

}  // namespace tilewise::grading
