#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grading/builder/builder.hpp"

namespace tilewise::grading {

/// Turns the output of a compiler (g++, clang, nvcc) into a message. Its place is that of the first
/// error in one of the student's files (`sources`, as the compiler names them).
BuildResult explain_compile_error(std::string_view output, const std::vector<std::string>& sources);

/// A contract function and its header, as messages name them.
struct ContractFunction {
  std::string name;
  std::string header;       ///< "labs/03_shared_memory/matmul_shared.hpp"
  std::string declaration;  ///< "cudaError_t matmul_shared(const float* A, ...)", empty if unknown
};

/// Turns the output of a linker into a message; a contract function that is not defined is named
/// first.
BuildResult explain_link_error(std::string_view output, const std::vector<std::string>& sources,
                               const std::vector<ContractFunction>& functions);

/// Returns the declaration of `function` in a header's text, on one line; empty if there is none.
std::string find_declaration(const std::string& header, const std::string& function);

/// Returns the first lines of a long text, and how many more there are.
std::string cut_to_screenful(std::string_view text);

}  // namespace tilewise::grading
