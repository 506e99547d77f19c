#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "common/core/paths.hpp"
#include "grading/course/stages.hpp"
#include "grading/guide/handout.hpp"
#include "grading/guide/status_table.hpp"
#include "grading/progress/progress_file.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

/// Scripts read it: a line is a stage and its files.
void list_for_scripts() {
  for (const StageInfo& stage : stages()) {
    fmt::print("{:<22}{}\n", stage.id, fmt::join(stage.sources, ", "));
  }
}

void list_for_people() {
  const Progress progress = read_progress(core::project_root());
  const StageInfo& current = current_stage(progress, stages());
  for (const StageInfo& stage : stages()) {
    const StageProgress known = progress_of(progress, stage.id);
    fmt::print("{} {:<22}{:<24}{:<16}{}\n", stage.id == current.id ? '>' : ' ', stage.id,
               fmt::format("{}", fmt::join(stage.sources, ", ")),
               known.status ? status_word(known) : "",
               summary_of_handout(core::project_root(), stage.id).title);
  }
}

}  // namespace

void add_list(CLI::App& app, ExitStatus& status) {
  app.add_subcommand("list", "List the stages")->callback([&status] {
    isatty(STDOUT_FILENO) ? list_for_people() : list_for_scripts();
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
