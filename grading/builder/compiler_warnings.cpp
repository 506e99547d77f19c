#include "grading/builder/compiler_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "common/simt/rewrite/accesses.hpp"
#include "common/simt/rewrite/remarks.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// The warnings are enabled by name, because -Wall would also report code that the rewriting for
/// the simulator brings in. clang does not know -Wmaybe-uninitialized, and the last option keeps it
/// quiet about that.
constexpr const char* telling[] = {"-Wuninitialized", "-Wmaybe-uninitialized", "-Wunused-value",
                                   "-Wno-unknown-warning-option"};

void keep_telling_lines(const std::string& output, std::vector<std::string>& lines) {
  static const std::regex warning(
      R"(^(labs/[^:]+:\d+):\d+: warning: (.*) \[-W(?:uninitialized|maybe-uninitialized|)"
      R"(sometimes-uninitialized|unused-value)\])");
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    std::smatch found;
    if (!std::regex_search(line, found, warning)) continue;
    const std::string shown = found[1].str() + ": " + found[2].str();
    // Each instance of a template repeats the warning.
    if (std::ranges::find(lines, shown) == lines.end()) lines.push_back(shown);
  }
}

}  // namespace

std::vector<std::string> compiler_warnings(const std::string& stage_id, const fs::path& folder) {
  Toolchain tools;
  try {
    tools = toolchain(Backend::simt, Flavour::fast, stage_id);
  } catch (const std::runtime_error&) {
    return {};
  }
  const auto stage = std::ranges::find(stages(), stage_id, &StageInfo::id);
  if (stage == stages().end()) return {};
  std::erase(tools.compile, "-w");
  const ScratchDirectory scratch;
  std::vector<std::string> lines;
  for (const std::string& source : stage->sources) {
    const SourceFile file =
        read_source(folder / source, shown_path(folder, source), folder.parent_path());
    if (!file.problem.empty()) continue;  // the builder reports that
    const fs::path prepared = scratch.path() / (source + tools.source_extension);
    std::ofstream(prepared, std::ios::binary) << tools.prepare(file).text;
    Command command;
    command.arguments = tools.compile;
    std::ranges::copy(tools.preprocess, std::back_inserter(command.arguments));
    command.arguments.insert(command.arguments.end(), std::begin(telling), std::end(telling));
    command.arguments.insert(command.arguments.end(), {"-c", prepared, "-o", "/dev/null"});
    command.time_limit_s = 60;
    keep_telling_lines(run_command(std::move(command)).output, lines);
  }
  return lines;
}

SourceRemarks source_remarks(const StageInfo& stage, const fs::path& folder) {
  SourceRemarks remarks;
#ifdef TILEWISE_HAVE_SIMT
  std::set<simt::Remark::Kind> costless;  // those of which there is one
  for (const std::string& source : stage.sources) {
    const SourceFile file =
        read_source(folder / source, shown_path(folder, source), folder.parent_path());
    for (const simt::Remark& remark : simt::remarks_on(file.text)) {
      if (remark.kind == simt::Remark::Kind::freed) {
        if (remarks.freed.line == 0) remarks.freed = {.file = source, .line = remark.line};
      } else if (remark.kind == simt::Remark::Kind::doubt ||
                 remark.kind == simt::Remark::Kind::statement) {
        const Finding finding{
            .message = remark.message, .hint = remark.next, .file = source, .line = remark.line};
        const bool is_doubt = remark.kind == simt::Remark::Kind::doubt;
        constexpr std::size_t most = 20;  // of which any may be asked
        auto& found = is_doubt ? remarks.doubts : remarks.statements;
        if (found.size() == most) continue;
        found.push_back({finding, simt::host_functions_without(file.text, remark.line)});
      } else if (costless.insert(remark.kind).second) {
        remarks.costless.push_back(
            fmt::format("{}:{}: {}", file.name, remark.line, remark.message));
      }
    }
  }
#endif
  return remarks;
}

}  // namespace tilewise::grading
