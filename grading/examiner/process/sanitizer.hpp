#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grading/examiner/process/source_location.hpp"

namespace tilewise::grading {

/// compute-sanitizer of the CUDA Toolkit: on PATH, or where CUDA's installer puts it.
std::optional<std::filesystem::path> find_compute_sanitizer();

/// An error that compute-sanitizer reports.
struct SanitizerError {
  std::string message;   ///< its words, one line
  SourceLocation place;  ///< the first it names
};

/// The first error in a log of compute-sanitizer (--log-file), of whichever tool.
std::optional<SanitizerError> first_sanitizer_error(const std::string& log);

}  // namespace tilewise::grading
