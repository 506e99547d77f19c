#include "grading/profile/compiled_kernels.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/core/json.hpp"

namespace tilewise::grading {

// Kernels have the names that a student gave them; what is no UTF-8 there is replaced.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompiledKernel, name, static_shared_bytes, registers_per_thread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompiledKernels, submission, reference)

void write_compiled_kernels(const std::filesystem::path& file, const CompiledKernels& kernels) {
  std::ofstream stream(file);
  stream << core::json_text(nlohmann::json(kernels));
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

CompiledKernels read_compiled_kernels(const std::filesystem::path& file) {
  try {
    std::ifstream stream(file);
    return nlohmann::json::parse(stream).get<CompiledKernels>();
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(
        fmt::format("{} is no list of compiled kernels: {}", file.string(), error.what()));
  }
}

}  // namespace tilewise::grading
