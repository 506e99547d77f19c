#pragma once

#include <filesystem>

#include "grading/profile/compiled_kernel.hpp"

namespace tilewise::grading {

/// The way of what nvcc said from the command line, which runs it, to the examiner.
/// @throws std::runtime_error naming the file if it cannot be written or read
void write_compiled_kernels(const std::filesystem::path& file, const CompiledKernels& kernels);
CompiledKernels read_compiled_kernels(const std::filesystem::path& file);

}  // namespace tilewise::grading
