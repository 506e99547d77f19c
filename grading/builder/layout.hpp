#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/builder/builder.hpp"

namespace tilewise::grading {

std::string_view to_string(Backend backend);

/// Where a build of Tilewise keeps the files that grading needs, relative to the running
/// executable.
struct Layout {
  std::filesystem::path root;   ///< the course's folder
  std::filesystem::path build;  ///< holds bin/ and lib/
};

/// @throws std::runtime_error if the course's folder is not found.
Layout layout();

/// Return the folder of headers that kernels of all stages may include, and the header in it.
std::filesystem::path headers_for_kernels();
std::filesystem::path ptx_header();

/// Returns the path of one of Tilewise's own executables.
std::filesystem::path tool(const std::string& name);
std::filesystem::path examiner_of(const std::string& stage_id);

/// Returns the stage's binding object for a backend.
/// @throws std::runtime_error if this build has none.
std::filesystem::path binding_object(Backend backend, const std::string& stage_id);

/// Returns the C++ compiler for the simulator, perhaps with arguments: CXX, or the one that built
/// Tilewise.
std::vector<std::string> cxx_compiler();

/// Whether a C++ compiler is clang, under whatever name; runs the compiler to find out.
bool is_clang(const std::vector<std::string>& compiler);

/// Returns the major version of a clang; runs the compiler to find out.
int clang_version(const std::vector<std::string>& compiler);

/// Returns nvcc: CUDACXX, or the one in PATH, or the one where CUDA's installer puts it.
/// @throws std::runtime_error if there is none.
std::string cuda_compiler();

/// Returns the CUDA Toolkit's folder, which is above nvcc's own; empty if there is none.
std::filesystem::path cuda_toolkit();

/// Returns Nsight Compute, from PATH or from where CUDA's installer puts it.
std::optional<std::filesystem::path> find_nsight_compute();

/// Returns the file that running `program` would start; empty if there is none.
std::filesystem::path find_program(const std::string& program);

}  // namespace tilewise::grading
