#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/profile/compiled_kernels.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

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

}  // namespace tilewise::grading
