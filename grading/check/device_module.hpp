#pragma once

#include <string>
#include <vector>

namespace tilewise::grading {

/// Kernels that a source defines and that have a name of their own, in order: what the driver's
/// cuModuleGetFunction() can ask for. Templates are left out.
std::vector<std::string> kernels_in(const std::string& source);

/// Variables of the device that it defines, in order: what cuModuleGetGlobal() can ask for.
std::vector<std::string> device_variables_in(const std::string& source);

/// What a source has behind its last line where it becomes a module for cuModuleLoad(): functions
/// by which its kernels are launched and its variables are found (common/simt/program/modules.cpp).
std::string ways_into(const std::string& source);

}  // namespace tilewise::grading
