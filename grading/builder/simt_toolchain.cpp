#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "common/simt/device_functions.hpp"
#include "common/simt/rewrite/rewrite.hpp"
#include "grading/builder/host_lines.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/preprocessed_text.hpp"
#include "grading/builder/text_judge.hpp"
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

PreparedSource judged(const std::string& left, const std::string& name) {
  const PreprocessedText text(left, name);
  return {.text = text.own_lines(), .problem = judge_text(text, name)};
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (item.is_regular_file()) files.push_back(item.path());
  }
  return files;
}

/// Returns the options that only this flavour has.
std::vector<std::string> own_options(Flavour flavour, const std::vector<std::string>& compiler) {
  if (flavour == Flavour::fast) return {"-O3", "-g1"};
  if (flavour == Flavour::debug) return {"-O0", "-g", "-DTILEWISE_DEBUG"};
  std::vector<std::string> options = reporting_options(compiler);
  // A submission may not find out for which flavour it is compiled: kernels are the same on every
  // backend.
  options.insert(options.end(), {"-g1", "-U__SANITIZE_THREAD__", "-DTILEWISE_CHECKED=1"});
#if defined(__x86_64__)
  // Calls by pointers go through functions of ours (common/simt/runtime/indirect_calls.cpp).
  const bool clang = is_clang(compiler);
  if (clang) {
    options.insert(options.end(), {"-mretpoline", "-mretpoline-external-thunk"});
  } else {
    options.insert(options.end(), {"-mindirect-branch=thunk-extern", "-mindirect-branch-register"});
  }
  // So do returns. clang 14 has no such option; tilewise-whole-copies, by which it compiles, does
  // it instead.
  constexpr int first_clang_with_return_thunks = 15;
  const bool can = !clang || clang_version(compiler) >= first_clang_with_return_thunks;
  options.insert(
      options.end(),
      {"-pg", "-mfentry", can ? "-mfunction-return=thunk-extern" : "-DTILEWISE_RETURN_THUNKS"});
  // Functions begin with a mark of their own, which nothing else has that such a call could lead
  // to.
  options.insert(options.end(), {"-fcf-protection=branch", "-fno-jump-tables"});
  // A growing stack touches every page on its way, so that no array, however large, can take it
  // past a gap (stack_pool.cpp).
  options.emplace_back("-fstack-clash-protection");
#endif
  return options;
}

}  // namespace

// The file has one option a line. It lies in the recorder's folder, because the meaning of the
// recorder's calls depends on these options.
std::vector<std::string> reporting_options(const std::vector<std::string>& compiler) {
  const fs::path file = layout().root / "common" / "simt" / "recorder" /
                        (is_clang(compiler) ? "flags.clang" : "flags.gnu");
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
  std::vector<std::string> options;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) options.push_back(line);
  }
  return options;
}

// __CUDA_ARCH__ is not defined, because code for GPUs alone does not run here.
std::span<const char* const> definitions_of_nvcc() {
  static constexpr const char* definitions[] = {
      "-D__NVCC__=1", "-D__CUDACC__=1", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
      "-D__CUDACC_VER_BUILD__=0"};
  return definitions;
}

Toolchain simt_toolchain(Flavour flavour, const std::string& stage_id) {
  const auto [root, build] = layout();
  const fs::path facade = root / "common" / "simt" / "include";
  const fs::path library = build / "lib" / "libtilewise_simt.so";

  Toolchain tools;
  tools.source_extension = ".cpp";
  tools.compile = cxx_compiler();
  tools.link = tools.compile;
  const std::vector<std::string> own = own_options(flavour, tools.compile);
  tools.compile.insert(tools.compile.end(), own.begin(), own.end());
  // -gdwarf-4: in version 5, addr2line (binutils 2.40) takes the temporary file for the one that
  // #line names. -fno-finite-loops: an endless loop must run into the time limit; the compiler may
  // otherwise remove it. -w: the rewritten text would cause warnings that no student can do
  // anything about. -f...-sections: sections show which function or variable refers to which
  // (object_judge.hpp).
  for (const char* option :
       {"-std=c++17", "-gdwarf-4", "-march=native", "-fPIC", "-fvisibility=hidden",
        "-fno-semantic-interposition", "-fno-finite-loops", "-ffunction-sections",
        "-fdata-sections", "-fdiagnostics-color=never", "-w"}) {
    tools.compile.push_back(option);
  }
  // nvcc includes this header by itself. It is given by its full path, because -include searches
  // the working folder first.
  tools.preprocess = {"-include", facade / "cuda_runtime.h", "-I", facade,
                      "-I",       root / "labs" / stage_id,  "-I", headers_for_kernels()};
  for (const char* option : definitions_of_nvcc()) tools.preprocess.emplace_back(option);
  // _FORTIFY_SOURCE, which some distributions set, calls other copying functions than those that
  // report themselves. libstdc++'s <random> includes intrinsics, for extensions that nobody uses.
  // The other macros would make compilations of the same text differ.
  for (const char* option : {"-U_FORTIFY_SOURCE", "-D_BITS_OPT_RANDOM_H", "-D__TIME__=\"00:00:00\"",
                             "-D__DATE__=\"Jan  1 1970\"", "-D__TIMESTAMP__=__DATE__"}) {
    tools.preprocess.emplace_back(option);
  }

  // -z now: lazy binding uses registers that calls by pointers need.
  tools.link.insert(tools.link.end(), {"-shared", "-Wl,-z,defs", "-Wl,-z,now"});
  if (flavour == Flavour::checked) {
    // Copies of structures that the compiler makes by calling a function report themselves, too.
    for (const std::string_view name : simt::wrapped_functions) {
      tools.link.push_back(fmt::format("-Wl,--wrap={}", name));
    }
  }
  tools.judge = judged;
  tools.host_lines = host_lines;
  // clang's calls load and store what they pass like any other code.
  tools.dumps_statements = flavour == Flavour::checked && !is_clang(cxx_compiler());
  tools.simulator = library;
  tools.libraries = {build / "lib" / "tilewise_indirect_calls.o", library,
                     "-Wl,-rpath," + library.parent_path().string()};
  tools.inputs = files_below(facade);
  tools.inputs.push_back(ptx_header());
  tools.inputs.push_back(library);
  if (flavour == Flavour::checked && is_clang(tools.link)) {
    tools.compile_through = tool("tilewise-whole-copies");
    tools.inputs.push_back(tools.compile_through);
  }
  tools.inputs.push_back(tools.libraries.front());
  const simt::RewriteOptions options{.mark_loop_exits = flavour == Flavour::checked};
  tools.prepare = [options](const SourceFile& source) { return rewritten(source, options); };
  return tools;
}

void add_coverage(Toolchain& simt_tools, Flavour flavour) {
  simt_tools.compile.emplace_back("--coverage");
  if (flavour == Flavour::fast) {
    // Optimised code merges lines, and drops some.
    *std::ranges::find(simt_tools.compile, "-O3") = "-O0";
  } else {
    // Only an atomic addition does not report itself, so that counting changes no other count. With
    // clang it does; the run-time knows these counts by their names.
    simt_tools.compile.emplace_back("-fprofile-update=atomic");
  }
  const fs::path header =
      layout().root / "common" / "simt" / "include" / "tilewise" / "write_coverage.hpp";
  simt_tools.preprocess.insert(simt_tools.preprocess.end(), {"-include", header});
  simt_tools.link.push_back("--coverage");
}

void add_variants(Toolchain& simt_tools, bool optimised) {
  const fs::path header =
      layout().root / "common" / "simt" / "include" / "tilewise" / "variants.hpp";
  // With hundreds of choices in a function, -O2 takes minutes, and these options take seconds; the
  // calls that run are small.
  *std::ranges::find(simt_tools.compile, "-O2") = optimised ? "-O1" : "-O0";
  simt_tools.preprocess.insert(simt_tools.preprocess.end(), {"-include", header});
  simt_tools.dumps_statements = false;
}

}  // namespace tilewise::grading
