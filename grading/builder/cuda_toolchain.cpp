#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "grading/builder/layout.hpp"
#include "grading/builder/programs.hpp"
#include "grading/builder/toolchain.hpp"
#include "wrapped_symbols.hpp"

namespace tilewise::grading {
namespace {

PreparedSource as_written(const SourceFile& source) {
  return {fmt::format("#line 1 \"{}\"\n{}", source.name, source.text), ""};
}

/// The card in this machine, or what TILEWISE_CUDA_ARCH says (sm_90) where there is none.
std::string architecture() {
  const char* chosen = std::getenv("TILEWISE_CUDA_ARCH");
  return chosen != nullptr && *chosen != '\0' ? chosen : "native";
}

}  // namespace

Toolchain cuda_toolchain(const std::string& stage_id) {
  Toolchain tools;
  tools.source_extension = ".cu";
  tools.compile = {cuda_compiler(),
                   "-std=c++17",
                   "-O3",
                   "-lineinfo",
                   "-arch=" + architecture(),
                   "-Xcompiler",
                   "-g1,-fPIC,-fvisibility=hidden",
                   "-w",
                   "-I",
                   layout().root / "labs" / stage_id};

  tools.link = {tools.compile.front(),
                "-arch=" + architecture(),
                "-cudart",
                "static",
                "-shared",
                "-Xlinker",
                "-z,defs"};
  // The binding counts there; cmake/TilewiseWrappedCalls.cmake says what.
  for (const char* symbol : wrapped_symbols) {
    tools.link.insert(tools.link.end(), {"-Xlinker", fmt::format("--wrap={}", symbol)});
  }
  tools.prepare = as_written;
  return tools;
}

void add_cublas(Toolchain& cuda_tools) {
  cuda_tools.compile.insert(cuda_tools.compile.end(), {"-I", layout().root});
  cuda_tools.inputs.push_back(layout().root / "grading/stages/cublas_calls.hpp");
  cuda_tools.libraries.push_back("-lcublas");
  // NVIDIA installs the libraries beside nvcc; from elsewhere, the linker and the loader know them.
  const auto nvcc = std::filesystem::canonical(find_program(cuda_tools.compile.front()));
  for (const char* folder : {"lib64", "lib"}) {
    const std::string path = nvcc.parent_path().parent_path() / folder;
    cuda_tools.libraries.insert(cuda_tools.libraries.end(),
                                {"-L" + path, "-Xlinker", "-rpath," + path});
  }
}

}  // namespace tilewise::grading
