#pragma once

#include <string>
#include <vector>

namespace tilewise::grading {

/// Returns the named kernels that a source defines, in order. The driver's cuModuleGetFunction()
/// can ask for these. Templates are left out.
std::vector<std::string> kernels_in(const std::string& source);

/// Returns the device variables that a source defines, in order. cuModuleGetGlobal() can ask for
/// these.
std::vector<std::string> device_variables_in(const std::string& source);

/// Returns the code to append to a source that becomes a module for cuModuleLoad(): functions that
/// launch its kernels and find its variables (common/simt/program/modules.cpp).
std::string ways_into(const std::string& source);

}  // namespace tilewise::grading
