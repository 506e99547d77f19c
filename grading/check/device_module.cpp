#include "grading/check/device_module.hpp"

#include <fmt/format.h>

#include <regex>

namespace tilewise::grading {

namespace {

std::string without_comments(const std::string& source) {
  static const std::regex comment(R"(/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|//[^\n]*)");
  return std::regex_replace(source, comment, " ");
}

}  // namespace

std::vector<std::string> kernels_in(const std::string& source) {
  static const std::regex kernel(
      R"((template\s*<[^;{}()]*>\s*)?(?:extern\s*"C"\s*)?(?:(?:static|inline)\s+)*__global__\s+)"
      R"((?:(?:static|inline|void|__launch_bounds__\s*\([^)]*\))\s+)+(\w+)\s*\([^;{}]*\)\s*\{)");
  const std::string code = without_comments(source);
  std::vector<std::string> names;
  for (std::sregex_iterator found(code.begin(), code.end(), kernel), end; found != end; ++found) {
    if (!(*found)[1].matched) names.push_back((*found)[2]);
  }
  return names;
}

std::vector<std::string> device_variables_in(const std::string& source) {
  static const std::regex variable(
      R"((extern\s+)?(?:static\s+)?__(?:constant|device|managed)__\s+[^;(){}=]*?\b(\w+)\s*)"
      R"((?:\[[^;{}=]*\]\s*)?(?:=[^;]*)?;)");
  const std::string code = without_comments(source);
  std::vector<std::string> names;
  for (std::sregex_iterator found(code.begin(), code.end(), variable), end; found != end; ++found) {
    if (!(*found)[1].matched) names.push_back((*found)[2]);
  }
  return names;
}

std::string ways_into(const std::string& source) {
  std::string notes, variables;
  for (const std::string& name : device_variables_in(source)) {
    variables += fmt::format(
        "  if (__builtin_strcmp(name, \"{0}\") == 0) return *bytes = sizeof {0}, (void*)&{0};\n",
        name);
  }
  for (const std::string& name : kernels_in(source)) {
    notes += fmt::format("  ::tilewise::simt::note_addressed(\"{0}\", {0});\n", name);
  }
  return fmt::format(
      R"(
extern "C" __attribute__((visibility("default"))) int tilewise_launch_kernel(
    const void* kernel, const void* configuration, void** arguments) {{
{}  return ::tilewise::simt::launch_address(
      kernel, *static_cast<const ::tilewise::simt::LaunchConfiguration*>(configuration), arguments);
}}
extern "C" __attribute__((visibility("default"))) void* tilewise_device_variable(
    const char* name, unsigned long* bytes) {{
{}  return nullptr;
}}
)",
      notes, variables);
}

}  // namespace tilewise::grading
