#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "common/simt/rewrite/rewrite.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/programs.hpp"
#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

PreparedSource rewritten(const SourceFile& source, simt::RewriteOptions options) {
  PreparedSource prepared;
  const simt::Rewritten result = simt::rewrite(source.text, options);
  for (const simt::RewriteError& error : result.errors) {
    prepared.problem += fmt::format("{}:{}: error: {}\n", source.name, error.line, error.message);
  }
  prepared.text = fmt::format("{}#line 1 \"{}\"\n{}", result.prologue, source.name, result.text);
  return prepared;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (item.is_regular_file()) files.push_back(item.path());
  }
  return files;
}

/// What makes the compiler report every load and store to the run-time, one option a line. Both
/// sides of that bargain lie in one folder: which call means what depends on these options.
std::vector<std::string> checked_options(const fs::path& root,
                                         const std::vector<std::string>& compiler) {
  const fs::path file =
      root / "common" / "simt" / "checked" / (is_clang(compiler) ? "flags.clang" : "flags.gnu");
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
  std::vector<std::string> options;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) options.push_back(line);
  }
  return options;
}

/// What a flavour has that the others have not.
std::vector<std::string> own_options(Flavour flavour, const fs::path& root,
                                     const std::vector<std::string>& compiler) {
  if (flavour == Flavour::fast) return {"-O3", "-g1"};
  if (flavour == Flavour::debug) return {"-O0", "-g", "-DTILEWISE_DEBUG"};
  std::vector<std::string> options = checked_options(root, compiler);
  options.push_back("-g1");
  return options;
}

}  // namespace

Toolchain simt_toolchain(Flavour flavour, const std::string& stage_id) {
  const auto [root, build] = layout();
  const fs::path facade = root / "common" / "simt" / "include";
  const fs::path library = build / "lib" / "libtilewise_simt.so";

  Toolchain tools;
  tools.source_extension = ".cpp";
  tools.compile = cxx_compiler();
  tools.link = tools.compile;
  const std::vector<std::string> own = own_options(flavour, root, tools.compile);
  tools.compile.insert(tools.compile.end(), own.begin(), own.end());
  // -gdwarf-4: in version 5, addr2line (binutils 2.40) takes the temporary file for the one that
  // #line names. -fno-finite-loops: an endless loop must run into the time limit; the compiler may
  // otherwise take it away. -w: the rewritten text would earn warnings that no student can do
  // anything about.
  for (const char* option : {"-std=c++17", "-gdwarf-4", "-march=native", "-fPIC",
                             "-fvisibility=hidden", "-fno-semantic-interposition", "-fno-plt",
                             "-fno-finite-loops", "-fdiagnostics-color=never", "-w"}) {
    tools.compile.push_back(option);
  }
  // nvcc includes it by itself. By its full path, since -include searches the working folder first.
  tools.compile.insert(tools.compile.end(), {"-include", facade / "cuda_runtime.h"});
  tools.compile.insert(tools.compile.end(), {"-I", facade, "-I", root / "labs" / stage_id});

  tools.link.insert(tools.link.end(), {"-shared", "-Wl,-z,defs"});
  if (flavour == Flavour::checked) {
    // Copies of structures that the compiler makes by a call report themselves, too.
    tools.link.push_back("-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset");
  }
  tools.libraries = {library, "-Wl,-rpath," + library.parent_path().string()};
  tools.inputs = files_below(facade);
  tools.inputs.push_back(library);
  if (flavour == Flavour::checked && is_clang(tools.link)) {
    // Both are the compiler now: a new one of either makes other objects.
    tools.inputs.push_back(find_program(tools.compile.front()));
    tools.compile.insert(tools.compile.begin(), tool("tilewise-whole-copies"));
  }
  const simt::RewriteOptions options{.mark_loop_exits = flavour == Flavour::checked};
  tools.prepare = [options](const SourceFile& source) { return rewritten(source, options); };
  return tools;
}

void add_coverage(Toolchain& simt_tools, Flavour flavour) {
  simt_tools.compile.emplace_back("--coverage");
  if (flavour == Flavour::fast) {
    // Optimised code shares lines, and drops some.
    *std::ranges::find(simt_tools.compile, "-O3") = "-O0";
  } else {
    // Of all additions an atomic one alone does not report itself, so that counting changes no
    // other count. With clang it does; the run-time knows these counts by their names.
    simt_tools.compile.emplace_back("-fprofile-update=atomic");
  }
  const fs::path header =
      layout().root / "common" / "simt" / "include" / "tilewise" / "write_coverage.hpp";
  simt_tools.compile.insert(simt_tools.compile.end(), {"-include", header});
  simt_tools.link.push_back("--coverage");
}

}  // namespace tilewise::grading
