#include "grading/check/check.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "common/process/process.hpp"
#include "common/process/sandbox.hpp"
#include "grading/check/program_build.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::vector<std::pair<std::string, std::string>> environment_of(const CheckOptions& options) {
  std::vector<std::pair<std::string, std::string>> environment = {
      {"TILEWISE_TOOL", options.tool},
      {"TILEWISE_ERROR_EXITCODE", std::to_string(options.error_exitcode)},
      {"TILEWISE_GPU", options.gpu},
      {"TILEWISE_FAST", options.fast ? "1" : ""},
      {"TILEWISE_PROFILE", options.profile ? "1" : ""},
      {"TILEWISE_OUTPUT", options.output.empty() ? "" : fs::absolute(options.output).string()}};
  return environment;
}

}  // namespace

int check(const CheckOptions& options) {
  const CompilerWords& words = options.words;
  if (words.sources.empty() && words.linked.empty()) {
    throw CannotGrade("no file is named; ./lab check --help shows how");
  }
  const ScratchDirectory scratch;
  const ProgramBuild built =
      build_program(words, options.fast ? Flavour::fast : Flavour::checked, scratch.path());
  if (!built.ok) {
    fmt::print(stderr, "{}", built.messages);
    return 1;
  }
  if (words.only_compiles || !words.output.empty()) return 0;
  std::vector<std::string> arguments = {built.result};
  arguments.insert(arguments.end(), words.arguments.begin(), words.arguments.end());
  return run_in_foreground({.arguments = arguments, .environment = environment_of(options)});
}

}  // namespace tilewise::grading
