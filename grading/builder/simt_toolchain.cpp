#include <fmt/format.h>

#include "common/simt/rewrite/rewrite.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/programs.hpp"
#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

PreparedSource rewritten(const SourceFile& source) {
  PreparedSource prepared;
  const simt::Rewritten result = simt::rewrite(source.text);
  for (const simt::RewriteError& error : result.errors) {
    prepared.problem += fmt::format("{}:{}: error: {}\n", source.name, error.line, error.message);
  }
  prepared.text = fmt::format("#line 1 \"{}\"\n{}", source.name, result.text);
  return prepared;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (item.is_regular_file()) files.push_back(item.path());
  }
  return files;
}

}  // namespace

Toolchain simt_toolchain(const std::string& stage_id) {
  const auto [root, build] = layout();
  const fs::path facade = root / "common" / "simt" / "include";
  const fs::path library = build / "lib" / "libtilewise_simt.so";

  Toolchain tools;
  tools.source_extension = ".cpp";
  tools.compile = cxx_compiler();
  tools.link = tools.compile;
  // -gdwarf-4: in version 5, addr2line (binutils 2.40) takes the temporary file for the one that
  // #line names. -fno-finite-loops: an endless loop must run into the time limit; the compiler may
  // otherwise take it away. -w: the rewritten text would earn warnings that no student can do
  // anything about.
  for (const char* option : {"-std=c++17", "-O3", "-g1", "-gdwarf-4", "-march=native", "-fPIC",
                             "-fvisibility=hidden", "-fno-semantic-interposition", "-fno-plt",
                             "-fno-finite-loops", "-fdiagnostics-color=never", "-w"}) {
    tools.compile.push_back(option);
  }
  // nvcc includes it by itself. By its full path, since -include searches the working folder first.
  tools.compile.insert(tools.compile.end(), {"-include", facade / "cuda_runtime.h"});
  tools.compile.insert(tools.compile.end(), {"-I", facade, "-I", root / "labs" / stage_id});

  tools.link.insert(tools.link.end(), {"-shared", "-Wl,-z,defs"});
  tools.libraries = {library, "-Wl,-rpath," + library.parent_path().string()};
  tools.inputs = files_below(facade);
  tools.inputs.push_back(library);
  tools.prepare = rewritten;
  return tools;
}

}  // namespace tilewise::grading
