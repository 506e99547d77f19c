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

/// What `lab profile` reports.
struct ProfileReport {
  std::string stage;
  std::string call;  ///< as NamedCall::text
  core::GpuProfile gpu;
  std::vector<KernelProfile> kernels;
  int launches = 0;       ///< more than there are kernels where the list was cut
  double operations = 0;  ///< of the call, floating-point; 0 where it only moves elements
  bool double_precision = false;
  std::vector<CompiledKernel> compiled = {};  ///< by nvcc, where it is found
};

/// The lines of the files that kernels come from, by the file's name.
using SourceTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The report in the schema tilewise/profile/v1.
nlohmann::ordered_json profile_document(const ProfileReport& report);

/// The report as a table for each kernel, totals first, then line by line of the source.
std::string profile_table(const ProfileReport& report, const SourceTexts& sources);

/// The line of a kernel to look at first.
struct WorstLine {
  simt::LineCounters line;
  std::string why;     ///< "bank conflicts: a request takes 32.0 wavefronts where 1.0 would do"
  std::string advice;  ///< what to do about what it wastes; empty where it wastes little
};

/// The line that wastes most, by scattered accesses or bank conflicts; where little is wasted, the
/// one that does most. Nothing without lines.
std::optional<WorstLine> worst_line(const std::vector<simt::LineCounters>& lines);

/// What a student can do about a limiter that the model names (model::KernelTime::limiter): one
/// sentence or two. Empty for a name that is not the model's.
std::string limiter_advice(std::string_view limiter);

}  // namespace tilewise::grading
