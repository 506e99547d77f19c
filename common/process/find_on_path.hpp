#pragma once

#include <filesystem>
#include <optional>

namespace tilewise::grading {

/// The program that this name would start; nothing if there is none.
std::optional<std::filesystem::path> find_on_path(const char* program);

}  // namespace tilewise::grading
