#include "grading/watch/solution_comparison.hpp"

#include <fmt/format.h>

#include <fstream>

#include "common/process/command.hpp"
#include "common/process/scratch_directory.hpp"
#include "grading/builder/lines.hpp"
#include "grading/report/file_text.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

/// The solution as a student would have written it: without the lines that mark their part.
std::string without_markers(std::string_view solution) {
  std::string text;
  while (!solution.empty()) {
    const std::string_view line = take_line(solution);
    const std::size_t first = line.find_first_not_of(" \t");
    const bool marks = first != line.npos && line.substr(first).starts_with("// lab:");
    if (!marks) text += fmt::format("{}\n", line);
  }
  return text;
}

}  // namespace

std::string compare_with_solution(const std::filesystem::path& root, const StageInfo& stage) {
  const ScratchDirectory scratch;
  std::string differences;
  for (const std::string& source : stage.sources) {
    const std::string mine = fmt::format("labs/{}/{}", stage.id, source);
    const std::string solution = fmt::format("solutions/{}/{}", stage.id, source);
    const auto unmarked = scratch.path() / source;
    std::ofstream(unmarked, std::ios::binary) << without_markers(text_of(root / solution));
    Command diff;
    diff.arguments = {"diff",    "-b",     "-U1", "--label",   mine,
                      "--label", solution, "--",  root / mine, unmarked};
    diff.time_limit_s = 10;
    const CommandResult result = run_command(std::move(diff));
    const bool compared = result.ending == CommandResult::Ending::exited && result.status < 2;
    if (compared) {
      differences += printable(result.output);
    } else {
      differences += fmt::format("{} and {} could not be compared: diff {}\n", mine, solution,
                                 describe_ending(result));
    }
  }
  return differences;
}

}  // namespace tilewise::grading
