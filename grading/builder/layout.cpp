#include "grading/builder/layout.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "grading/builder/built_parts.hpp"

namespace tilewise::grading {

std::string_view to_string(Backend backend) { return backend == Backend::simt ? "simt" : "cuda"; }

Layout layout() { return {core::project_root(), core::executable_directory().parent_path()}; }

std::filesystem::path headers_for_kernels() { return layout().root / "labs" / "include"; }
std::filesystem::path ptx_header() { return headers_for_kernels() / "tilewise" / "ptx.hpp"; }

std::filesystem::path tool(const std::string& name) {
  return core::executable_directory().parent_path() / "bin" / name;
}

std::filesystem::path examiner_of(const std::string& stage_id) {
  return tool("tilewise-examiner-" + stage_id);
}

std::filesystem::path binding_object(Backend backend, const std::string& stage_id) {
  have_built({modules_part(stage_id)});
  const auto object = layout().build / "lib" / "bindings" / to_string(backend) / (stage_id + ".o");
  if (!std::filesystem::exists(object)) {
    throw std::runtime_error(
        tr("{} is missing: this build of Tilewise does not have the {} backend, or is incomplete; "
           "build it again",
           object.string(), to_string(backend)));
  }
  return object;
}

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Returns a compiler's answer to an option such as --version. Answers are kept, because each build
/// asks several times.
const std::string& answer(std::vector<std::string> compiler, const char* question) {
  static std::map<std::vector<std::string>, std::string> answers;
  compiler.emplace_back(question);
  const auto [known, is_new] = answers.try_emplace(compiler);
  if (is_new) {
    Command command;
    command.arguments = std::move(compiler);
    known->second = run_command(std::move(command)).output;
  }
  return known->second;
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

std::string cuda_compiler_if_any() {
  for (const std::string& candidate :
       {variable("CUDACXX"), std::string("nvcc"), std::string("/usr/local/cuda/bin/nvcc")}) {
    if (!candidate.empty() && !find_program(candidate).empty()) return candidate;
  }
  return "";
}

}  // namespace

std::vector<std::string> cxx_compiler() {
  std::istringstream words(variable("CXX"));
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  if (command.empty()) command.push_back(TILEWISE_CXX);
  return command;
}

bool is_clang(const std::vector<std::string>& compiler) {
  return answer(compiler, "--version").find("clang") != std::string::npos;
}

int clang_version(const std::vector<std::string>& compiler) {
  return std::atoi(answer(compiler, "-dumpversion").c_str());
}

std::string cuda_compiler() {
  std::string found = cuda_compiler_if_any();
  if (found.empty()) {
    throw std::runtime_error(
        tr("nvcc is not found; put it on PATH, set CUDACXX to it, or grade with --backend simt"));
  }
  return found;
}

fs::path cuda_toolkit() {
  const std::string nvcc = cuda_compiler_if_any();
  if (nvcc.empty()) return {};
  return fs::canonical(find_program(nvcc)).parent_path().parent_path();
}

std::optional<fs::path> find_nsight_compute() {
  for (const fs::path& candidate : {find_program("ncu"), fs::path("/usr/local/cuda/bin/ncu")}) {
    if (!candidate.empty() && fs::exists(candidate)) return candidate;
  }
  return std::nullopt;
}

fs::path find_program(const std::string& program) {
  if (program.find('/') != program.npos)
    return is_program(program) ? fs::path(program) : fs::path();
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(fs::path(folder) / program)) return fs::path(folder) / program;
  }
  return {};
}

}  // namespace tilewise::grading
