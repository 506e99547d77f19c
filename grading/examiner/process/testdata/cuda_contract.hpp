#pragma once

#include <cuda_runtime.h>

cudaError_t scale(const float* in, float* out, int n, double factor, dim3 block);
cudaError_t accumulate_twice(float* total);
cudaError_t accumulate_on_own_stream(float* total);
cudaError_t launch_wrongly();
cudaError_t write_out_of_bounds(float* data);
cudaError_t loop_in_kernel();
