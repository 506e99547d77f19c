/// \file
/// All that a worker does differently on the simulator and on CUDA. Each of simt_*.cpp and
/// cuda_*.cpp implements it; the rest of the worker is one source, compiled against either
/// <cuda_runtime.h>.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/worker/binding_abi.hpp"
#include "grading/worker/call.hpp"
#include "grading/worker/examiner_memory.hpp"
#include "grading/worker/module.hpp"
#include "grading/worker/protocol.hpp"

namespace tilewise::grading {

/// Makes the device ready for use.
/// @param profile the GPU to simulate; a real device is what it is
/// @throws std::runtime_error where there is no usable device, saying what to do.
DeviceInfo start_device(const core::GpuProfile& profile);

/// Has one thread run all blocks, where a processor runs them.
void run_blocks_on_one_thread();

/// Makes fatal signals write a Fault before they end the process.
void install_fault_handler();

/// The memory of the examiner's that holds the matrices: on the simulator, where kernels run in
/// this process, without an address in it.
/// @throws std::system_error
std::unique_ptr<ExaminerMemory> examiner_memory(const Hello& hello);

/// Loads a submission and runs its static constructors. On the simulator its host code then runs in
/// a process of its own, where the system has fork; from here on both are confined to what
/// submissions need, where the system can see to that. For good.
/// @throws std::runtime_error with the loader's reason
/// @throws Tampering
Module load_module(const Hello& hello);

/// Tells what a payload in device memory is: the part of its image that kernels may touch.
void describe_payload(const void* payload, const BufferArgument& argument);

/// A matrix in device memory.
struct TracedBuffer {
  std::string name;
  const void* payload;
};

/// Watches the kernels of the next call; without a wish, no longer.
/// @throws std::runtime_error where this backend cannot.
void watch(const std::optional<simt::Watch>& wanted);

struct Launches {
  std::size_t count = 0;
  std::vector<LaunchInfo> list;  ///< the first of them
};

/// Successful launches since the last call.
Launches take_launches(const BindingTable& bindings);

/// Bytes of the device that the submission let the host read since the last call: copied, or on
/// CUDA in memory that both share.
std::size_t take_bytes_for_the_host(const BindingTable& bindings);

/// Copies that the submission has made by now, to and from the device. On the simulator nobody
/// counts them.
std::size_t copies_made(const BindingTable& bindings);

/// What the run-time found wrong in kernels since the last call.
std::vector<Finding> take_findings();

/// What launches since the last call have left for pictures, as text (trace_text.hpp): at most so
/// many bytes, so that the last launches may be missing. Empty where nothing was traced.
std::string take_traces(const std::vector<TracedBuffer>& buffers, std::size_t most_bytes);

/// What was counted since the last call.
std::vector<KernelProfile> take_profiles();

}  // namespace tilewise::grading
