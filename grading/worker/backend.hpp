/// \file
/// Declares all that a worker does differently on the simulator and on CUDA. The files simt_*.cpp
/// and cuda_*.cpp each implement it; the rest of the worker is one source, compiled against either
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
/// @param profile the GPU to simulate; a real device ignores it
/// @throws std::runtime_error if there is no usable device; the message says what to do.
DeviceInfo start_device(const core::GpuProfile& profile);

/// Makes one thread run all blocks on the simulator; a GPU ignores this.
void run_blocks_on_one_thread();

/// Makes fatal signals write a Fault before they end the process.
void install_fault_handler();

/// Opens the examiner's memory that holds the matrices. On the simulator, where kernels run in this
/// process, the memory is not mapped into it if the host code gets a process of its own.
/// @throws std::system_error
std::unique_ptr<ExaminerMemory> examiner_memory(const Hello& hello);

/// Loads a submission and runs its static constructors. On the simulator its host code then runs in
/// a process of its own, on Linux without sanitizers and unless the module writes coverage. From
/// here on both processes may do only what submissions need, if the system can enforce that; this
/// cannot be undone.
/// @throws std::runtime_error with the loader's reason
/// @throws Tampering
Module load_module(const Hello& hello);

/// Describes to the simulator a payload in device memory, the part of its image that kernels may
/// touch.
void describe_payload(const void* payload, const BufferArgument& argument);

/// A matrix in device memory.
struct TracedBuffer {
  std::string name;
  const void* payload;
};

/// Watches the kernels of the next call as `wanted` says, or stops watching if it is empty.
/// @throws std::runtime_error if this backend cannot watch.
void watch(const std::optional<simt::Watch>& wanted);

struct Launches {
  std::size_t count = 0;
  std::vector<LaunchInfo> list;  ///< only the first launches, if there are too many to list
};

/// Returns the successful launches since the last call of this function.
Launches take_launches(const BindingTable& bindings);

/// Returns how many bytes of the device the submission let the host read since the last call of
/// this function: by copies or, on CUDA, in memory that both share.
std::size_t take_bytes_for_the_host(const BindingTable& bindings);

/// Returns how many copies to and from the device the submission has made so far. The simulator
/// does not count them and returns 0.
std::size_t copies_made(const BindingTable& bindings);

/// Returns what the run-time found wrong in kernels since the last call of this function.
std::vector<Finding> take_findings();

/// Returns the traces of the launches since the last call of this function, from which pictures are
/// drawn, as text (trace_text.hpp). The text has at most `most_bytes`, so the last launches may be
/// missing. On CUDA it is empty.
std::string take_traces(const std::vector<TracedBuffer>& buffers, std::size_t most_bytes);

/// Returns what was counted in kernels since the last call of this function.
std::vector<KernelProfile> take_profiles();

}  // namespace tilewise::grading
