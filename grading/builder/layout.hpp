#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grading/builder/builder.hpp"

namespace tilewise::grading {

std::string_view to_string(Backend backend);

/// Where a build of Tilewise keeps what grading needs, found relative to the running executable.
struct Layout {
  std::filesystem::path root;   ///< the course
  std::filesystem::path build;  ///< holds bin/ and lib/
};

/// @throws std::runtime_error if the course's folder is not found.
Layout layout();

/// One of Tilewise's own executables.
std::filesystem::path tool(const std::string& name);

/// The stage's binding object for a backend.
/// @throws std::runtime_error if this build has none.
std::filesystem::path binding_object(Backend backend, const std::string& stage_id);

}  // namespace tilewise::grading
