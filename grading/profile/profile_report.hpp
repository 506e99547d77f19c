#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/simt/watch.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// The result of compiling a kernel, or one instance of a kernel template, with nvcc.
struct CompiledKernel {
  std::string name;  ///< without template arguments: "matmul_kernel"
  std::size_t static_shared_bytes = 0;
  int registers_per_thread = 0;
  int local_bytes_per_thread = 0;  ///< the stack frame: spilled registers, and arrays in memory
};

/// The compiled kernels of a submission, and of the solution that it is compared with. They are
/// empty if nvcc was not found.
struct CompiledKernels {
  std::vector<CompiledKernel> submission = {};
  std::vector<CompiledKernel> reference = {};
};

/// These pass nvcc's results from the command line, which runs it, to the examiner.
/// @throws std::runtime_error naming the file if it cannot be written or read
void write_compiled_kernels(const std::filesystem::path& file, const CompiledKernels& kernels);
CompiledKernels read_compiled_kernels(const std::filesystem::path& file);

/// The results of `lab profile`.
struct ProfileReport {
  std::string stage;
  std::string call;  ///< like NamedCall::text
  core::GpuProfile gpu;
  std::vector<KernelProfile> kernels;
  int launches = 0;       ///< more than there are kernels, if the list was cut
  double operations = 0;  ///< floating-point operations of the call; 0 if it only moves elements
  bool double_precision = false;
  std::vector<CompiledKernel> compiled = {};  ///< by nvcc, if it is found
};

/// The source lines of the files that kernels come from, by the file's name.
using SourceTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Returns the report in the schema tilewise/profile/v1.
nlohmann::ordered_json profile_document(const ProfileReport& report);

/// Returns the report as a table for each kernel: totals first, then the source line by line.
std::string profile_table(const ProfileReport& report, const SourceTexts& sources);

/// The line of a kernel to look at first.
struct WorstLine {
  simt::LineCounters line;
  std::string why;     ///< "bank conflicts: a request takes 32.0 wavefronts where 1.0 would do"
  std::string advice;  ///< what to do about the waste; empty if it wastes little
};

/// Returns the line that wastes most, by scattered accesses or bank conflicts. If little is wasted,
/// it returns the line that does most work. It returns nothing if there are no lines.
std::optional<WorstLine> worst_line(const std::vector<simt::LineCounters>& lines);

/// Returns what a student can do about a limiter that the model names (model::KernelTime::limiter),
/// in one or two sentences. The text is empty for a name that is not the model's.
std::string limiter_advice(std::string_view limiter);

}  // namespace tilewise::grading
