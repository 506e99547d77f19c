/// Lets clangd read kernels as CUDA, with the simulator's declarations and without a CUDA Toolkit
/// (compile_flags.txt). Nothing is compiled with it.
#pragma once

#include <cuda_runtime.h>

#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

/// The functions that clang calls for <<<...>>>; which one depends on the version of the toolkit,
/// of which there may be none.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                     cudaStream_t stream = nullptr);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0,
                              cudaStream_t stream = nullptr);
