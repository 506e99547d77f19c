/// \file
/// Contract functions of the fixture modules: one for each way in which a submission may behave.
#pragma once

#include <cuda_runtime.h>

cudaError_t scale(const float* in, float* out, int n, double factor, dim3 block);
cudaError_t accumulate(float* total);
cudaError_t know_again(const float* in, float* times, int n);
cudaError_t refuse();
cudaError_t use_null_pointer();
cudaError_t use_device_pointer(float* data);
cudaError_t copy_device_pointer(float* data);
cudaError_t use_null_pointer_in_kernel();
cudaError_t overflow_stack();
cudaError_t call_abort();
cudaError_t call_exit();
cudaError_t kill_itself();
cudaError_t throw_exception();
cudaError_t throw_integer();
cudaError_t loop_on_host();
cudaError_t loop_in_kernel();
cudaError_t ignore_time_limit();
cudaError_t print_line();
cudaError_t print_without_end();
cudaError_t allocate_without_end();
cudaError_t grow_vector_without_end();
cudaError_t write_to_every_descriptor();
cudaError_t forge_reply();
cudaError_t forge_fault();
cudaError_t announce_huge_message();
cudaError_t close_every_descriptor();
cudaError_t leave_child_behind();
cudaError_t fail_afterwards();
cudaError_t launch_afterwards();
