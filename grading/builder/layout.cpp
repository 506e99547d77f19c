#include "grading/builder/layout.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "common/core/files.hpp"

namespace tilewise::grading {

std::string_view to_string(Backend backend) { return backend == Backend::simt ? "simt" : "cuda"; }

Layout layout() { return {core::project_root(), core::executable_directory().parent_path()}; }

std::filesystem::path tool(const std::string& name) {
  return core::executable_directory().parent_path() / "bin" / name;
}

std::filesystem::path binding_object(Backend backend, const std::string& stage_id) {
  const auto object = layout().build / "lib" / "bindings" / to_string(backend) / (stage_id + ".o");
  if (!std::filesystem::exists(object)) {
    throw std::runtime_error(
        fmt::format("{} is missing: this build of Tilewise does not have the "
                    "{} backend, or is incomplete; build it again",
                    object.string(), to_string(backend)));
  }
  return object;
}

}  // namespace tilewise::grading
