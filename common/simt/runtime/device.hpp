#pragma once

#include "common/simt/include/tilewise/errors.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/trace.hpp"
#include "common/simt/watch.hpp"

/// State of the one simulated device: which GPU it is, its last error, what ran and what was found.
namespace tilewise::simt::device {

const core::GpuProfile& profile();

/// Keeps the error for cudaGetLastError and returns it.
cudaError_t fail(cudaError_t error);

/// An error that ends the device's usefulness: every later call returns it, as CUDA does after a
/// kernel failed.
void fail_for_ever(cudaError_t error);
cudaError_t lasting_error();
void forget_errors();

/// Dynamic shared memory a launch may ask for, raised by cudaFuncSetAttribute.
std::size_t dynamic_shared_limit();
cudaError_t raise_dynamic_shared_limit(std::size_t bytes);

LaunchRecord record_of(const LaunchConfiguration& launch);
void record(const LaunchConfiguration& launch);
void note_bytes_to_host(std::size_t bytes);
void record(Finding finding);
void record(KernelProfile profile);
void record(KernelTrace trace);

/// How the next launch is to be watched: no sample where every block has to run anyway, and no
/// trace once there are as many as are kept.
Watch watch_of_next_launch();

}  // namespace tilewise::simt::device
