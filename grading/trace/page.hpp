#pragma once

#include <filesystem>
#include <string>

#include "grading/trace/trace.hpp"

namespace tilewise::grading {

/// The trace as one HTML file that needs nothing beside it.
/// @param course  its root, where tools/page/trace.html lies
/// @throws std::runtime_error where that is missing or damaged
std::string trace_page(const Trace& trace, const std::filesystem::path& course);

}  // namespace tilewise::grading
