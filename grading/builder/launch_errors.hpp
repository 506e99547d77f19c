#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What compilers say of launches that do not fit their kernels. On the simulator a launch is a
/// call in the headers of the simulator, which a student does not know.
namespace tilewise::grading {

/// Whether some words stand in a compiler's output.
bool says(std::string_view output, std::string_view words);

/// Returns the text between two others, or nothing.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end);

/// Rewords the error for a launch whose arguments do not fit the kernel, which g++ reports for the
/// class that a launch becomes. Returns nothing for other lines.
std::string unfit_launch(std::string_view line);

/// What a compiler says of a launch that does not fit a kernel's template. Its own words fill a
/// screen, and name the calls in the headers first.
struct TemplateLaunch {
  std::string_view kernel;
  std::string_view parameter;  ///< a parameter of the template that nothing tells; may be empty
  std::string_view candidate;  ///< "template<class T> void kernel(const T*, T*, int)"
  std::string_view reason;     ///< "candidate expects 3 arguments, 2 provided"
};

/// Finds that in the output of g++. Returns nothing for other errors.
std::optional<TemplateLaunch> unfit_template(std::string_view output);

/// Returns the variable that stands among the template arguments of a launch, which must be
/// constants: `rows` in `k<rows><<<grid, block>>>(C)`. g++ and clang report that the lambda which
/// the launch becomes does not capture it. Empty for other errors.
std::string_view variable_among_arguments(std::string_view output);

}  // namespace tilewise::grading
