#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

/// What nvcc made of a kernel; of a template, of one of its instances.
struct CompiledKernel {
  std::string name;  ///< without template arguments: "matmul_kernel"
  std::size_t static_shared_bytes = 0;
  int registers_per_thread = 0;
  int local_bytes_per_thread = 0;  ///< the stack frame: what is spilled, and arrays in memory
};

/// Of a submission, and of the solution that it is compared with; empty where nvcc was not found.
struct CompiledKernels {
  std::vector<CompiledKernel> submission = {};
  std::vector<CompiledKernel> reference = {};
};

/// The way of what nvcc said from the command line, which runs it, to the examiner.
/// @throws std::runtime_error naming the file if it cannot be written or read
void write_compiled_kernels(const std::filesystem::path& file, const CompiledKernels& kernels);
CompiledKernels read_compiled_kernels(const std::filesystem::path& file);

}  // namespace tilewise::grading
