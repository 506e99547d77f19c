#include "grading/builder/machine_code.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>
#include <stdexcept>
#include <utility>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/builder/compiler_message.hpp"
#include "grading/builder/kernel_registers.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

/// Returns the text with one blank wherever there are several, and without the semicolon.
std::string as_instruction(std::string_view text) {
  std::string code = std::regex_replace(trimmed(text), std::regex("[ \t]+"), " ");
  while (code.ends_with(';') || code.ends_with(' ')) code.pop_back();
  return code;
}

bool is_file(std::string_view path, const std::string& source) {
  return fs::path(path).filename() == source;
}

}  // namespace

std::string name_of_kernel(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0) return mangled;
  std::string name = text.get();
  if (name.starts_with("void ")) name.erase(0, 5);  // a template's name includes the type
  const std::string unnamed = "(anonymous namespace)::";
  for (auto at = name.find(unnamed); at != name.npos; at = name.find(unnamed)) {
    name.erase(at, unnamed.size());
  }
  const std::size_t end = name.find(">(");
  return end == name.npos ? name.substr(0, name.find('(')) : name.substr(0, end + 1);
}

std::vector<KernelCode> kernels_in_ptx(std::string_view ptx, const std::string& source) {
  // The file numbers are listed behind the kernels.
  static const std::regex file(R"re(^\s*\.file\s+(\d+)\s+"([^"]+)")re");
  static const std::regex entry(R"(\.entry\s+([\w$.]+))");
  static const std::regex place(R"(^\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?)");
  std::string number;
  for (std::string_view rest = ptx; !rest.empty();) {
    const std::string line(take_line(rest));
    std::smatch match;
    if (std::regex_search(line, match, file) && is_file(match[2].str(), source)) number = match[1];
  }
  std::vector<KernelCode> kernels;
  int depth = 0, at = 0;
  bool in_kernel = false;
  while (!ptx.empty()) {
    const std::string line = trimmed(take_line(ptx));
    std::smatch match;
    if (depth == 0 && std::regex_search(line, match, entry)) {
      kernels.push_back({name_of_kernel(match[1]), {}});
      in_kernel = true;
      at = 0;
    }
    depth += int(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
    if (line == "}" && depth == 0) in_kernel = false;
    if (!in_kernel || line.starts_with("//")) continue;
    if (std::regex_search(line, match, place)) {
      const int own = match[1] == number ? std::stoi(match[2]) : 0;
      const int caller = match[3] == number ? std::stoi(match[4]) : 0;
      if (own > 0 || caller > 0) at = own > 0 ? own : caller;
    } else if (line.ends_with(':') || (line.find(';') != line.npos && !line.starts_with('.'))) {
      kernels.back().lines[at].push_back(as_instruction(line));
    }
  }
  return kernels;
}

std::vector<KernelCode> kernels_in_sass(std::string_view sass, const std::string& source) {
  static const std::regex section(R"(^\.text\.([\w$.]+):)");
  static const std::regex place(R"re(^//## File "([^"]+)", line (\d+))re");
  static const std::regex instruction(R"(^/\*[0-9a-f]+\*/\s+([^;]+);)");
  std::vector<KernelCode> kernels;
  int at = 0;
  bool known = false;  // an instruction's frames are listed from the innermost outwards
  while (!sass.empty()) {
    const std::string line = trimmed(take_line(sass));
    std::smatch match;
    if (std::regex_search(line, match, section)) {
      kernels.push_back({name_of_kernel(match[1]), {}});
      at = 0;
    } else if (kernels.empty()) {
      continue;
    } else if (std::regex_search(line, match, place)) {
      if (!known && is_file(match[1].str(), source)) {
        at = std::stoi(match[2]);
        known = true;
      }
    } else if (std::regex_search(line, match, instruction)) {
      kernels.back().lines[at].push_back(as_instruction(match[1].str()));
      known = false;
    } else if (line.starts_with(".L_") && line.ends_with(':')) {
      kernels.back().lines[at].push_back(line);
    }
  }
  return kernels;
}

std::optional<fs::path> find_disassembler() {
  if (const fs::path found = find_program("nvdisasm"); !found.empty()) return found;
  try {
    const fs::path beside = find_program(cuda_compiler()).parent_path() / "nvdisasm";
    if (fs::exists(beside)) return beside;
  } catch (const std::runtime_error&) {  // there is no nvcc
  }
  return std::nullopt;
}

std::vector<SourceCode> compile_to_machine_code(const StageInfo& stage, const fs::path& folder,
                                                const core::GpuProfile& gpu,
                                                const fs::path& scratch, std::string& problem) {
  const std::string nvcc = cuda_compiler();
  const std::optional<fs::path> disassembler = find_disassembler();
  const ToolFiles files{.readable = {}, .writable = scratch, .working_folder = scratch};
  const auto compiled = [&](const std::string& source, const std::string& architecture,
                            const char* kind, const fs::path& output) {
    return run_command(
        tool_command({nvcc, "-std=c++17", "-O3", "-lineinfo", "-w", "-arch=" + architecture, "-I",
                      layout().root / "labs" / stage.id, kind, source, "-o", output},
                     files, {}));
  };
  std::vector<SourceCode> sources;
  for (const std::string& source : stage.sources) {
    const SourceFile text =
        read_source(folder / source, shown_path(folder, source), folder.parent_path());
    problem = text.problem;
    if (!problem.empty()) return sources;
    std::ofstream(scratch / source, std::ios::binary)
        << fmt::format("#line 1 \"{}\"\n", text.name) << text.text;
    const fs::path ptx = scratch / (source + ".ptx"), cubin = scratch / (source + ".cubin"),
                   sass = scratch / (source + ".sass");
    std::optional<std::string> architecture;
    for (const std::string& candidate : architectures_like(gpu)) {
      const CommandResult result = compiled(source, candidate, "-ptx", ptx);
      if (result.succeeded()) {
        architecture = candidate;
        break;
      }
      if (result.output.find("nvcc fatal") == result.output.npos) {
        problem = explain_compile_error(result.output, {text.name}).finding.message;
        return sources;
      }
    }
    if (!architecture) {
      throw std::runtime_error(
          tr("{} compiles for no card like the {}; choose another: --gpu h200", nvcc, gpu.name));
    }
    sources.push_back({source, *architecture, kernels_in_ptx(core::text_of(ptx), source), {}});
    if (!disassembler) continue;
    CommandResult result = compiled(source, *architecture, "-cubin", cubin);
    if (result.succeeded()) {
      // For large kernels it prints more than is kept of a command's output.
      result = run_command(tool_command(
          {"/bin/sh", "-c", R"(exec "$0" -c -gi "$1" > "$2")", *disassembler, cubin, sass}, files,
          {}));
    }
    if (!result.succeeded()) {
      throw std::runtime_error(fmt::format("{}: {}", disassembler->string(), result.output));
    }
    sources.back().sass = kernels_in_sass(core::text_of(sass), source);
  }
  return sources;
}

}  // namespace tilewise::grading
