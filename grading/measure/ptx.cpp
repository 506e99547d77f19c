#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/machine_code.hpp"
#include "grading/cli/submission.hpp"
#include "grading/measure/commands.hpp"
#include "grading/measure/simulated_calls.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

std::string counted(const KernelCode& code, const char* language) {
  std::size_t instructions = 0;
  for (const auto& [line, of_line] : code.lines) {
    instructions += std::size_t(std::ranges::count_if(of_line, is_instruction));
  }
  return tr("{} instructions of {}", with_commas(instructions), language);
}

std::string listed(const KernelCode& code, int line, const char* language) {
  const auto found = code.lines.find(line);
  if (found == code.lines.end()) return "";
  std::string text;
  for (const std::string& each : found->second) {
    text += fmt::format("        {:<4}  {}\n", text.empty() ? language : "", printable(each));
  }
  return text;
}

std::string table_of(const KernelCode& ptx, const KernelCode* sass,
                     const std::vector<std::string>& source) {
  std::string text = fmt::format("\n{}  {}", printable(ptx.name), counted(ptx, "PTX"));
  if (sass != nullptr) text += ", " + counted(*sass, "SASS");
  text += '\n';
  std::set<int> lines;
  for (const auto& [line, code] : ptx.lines) lines.insert(line);
  if (sass != nullptr) {
    for (const auto& [line, code] : sass->lines) lines.insert(line);
  }
  for (const int line : lines) {
    if (line > 0 && std::size_t(line) <= source.size()) {
      text += fmt::format("{:>5}  {}\n", line, printable(source[std::size_t(line) - 1]));
    }
    text += listed(ptx, line, "PTX");
    if (sass != nullptr) text += listed(*sass, line, "SASS");
  }
  return text;
}

/// Returns the tables of the kernels asked for, each with its source.
std::string tables_of(const std::vector<SourceCode>& sources, const SourceTexts& texts,
                      const std::string& wanted) {
  std::string text;
  std::vector<std::string> known;
  for (const SourceCode& source : sources) {
    for (const KernelCode& kernel : source.ptx) {
      known.push_back(kernel.name);
      if (kernel.name.find(wanted) == kernel.name.npos) continue;
      const auto sass = std::ranges::find(source.sass, kernel.name, &KernelCode::name);
      text += table_of(kernel, sass == source.sass.end() ? nullptr : &*sass, texts.at(source.name));
    }
  }
  if (text.empty() && !known.empty()) {
    throw CannotGrade(tr("there is no kernel '{}' here, but: {}", printable(wanted),
                         printable(fmt::format("{}", fmt::join(known, ", ")))));
  }
  return text;
}

}  // namespace

bool ptx(const PtxOptions& options) {
  const StageInfo stage = stage_of(options);
  const core::GpuProfile gpu = simulated_gpu(stage, core::gpu_profile(options.gpu));
  const Submission submission = choose_submission(options, {stage});
  const std::filesystem::path folder = submission.folder_of(stage);
  TerminalReport terminal(std::cout, style_of_standard_output());
  const ScratchDirectory scratch;
  terminal.show_progress(tr("compiling"));
  std::string problem;
  const std::vector<SourceCode> sources =
      compile_to_machine_code(stage, folder, gpu, scratch.path(), problem);
  if (!problem.empty()) {
    terminal.explain_stage({.message = problem});
    return false;
  }
  const std::string tables = tables_of(sources, read_sources(stage, folder), options.kernel);
  terminal.clear_progress();
  fmt::print("{}{}",
             tr("{} for {}, by nvcc {}\n", stage.id, gpu.name, sources.front().architecture),
             tables);
  if (!find_disassembler()) {
    fmt::print(
        "{}",
        tr("\nSASS, the card's own instructions, is not shown: nvdisasm is not found. It is a part "
           "of the\nCUDA Toolkit (the package cuda-nvdisasm); put it on PATH or beside nvcc.\n"));
  }
  return true;
}

}  // namespace tilewise::grading
